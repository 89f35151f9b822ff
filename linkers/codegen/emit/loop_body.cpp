// loop_body.cpp: bodies of fused loops.
//
// `n` is a multiple of 16, and says so, so that the compiler leaves out what would follow the
// vectors.
#include "linkers/codegen/emit/loop_body.h"

#include "linkers/codegen/plan/c_text.h"
#include "linkers/codegen/plan/loop_values.h"
#include "ops/graph/c_template.h"

namespace thunkvm {
namespace {

constexpr const char* kParameters =
    "(char *const *block, const tv_value *number, const tv_element_loop *call, i64 n)";

class LoopBody {
 public:
  LoopBody(const Plan& plan, const Unit& unit) : plan_(plan), values_(plan, unit) {}

  EmittedLoop emit(std::vector<StepRange> after) {
    std::string body = kParameters;
    body += " {\n" + declarations();
    for (int phase = 0; phase <= values_.last_phase(); ++phase)
      body += phase % 2 == 0 ? element_loop(phase) : calls(phase);
    body += "}\n";
    EmittedLoop emitted{.nest = values_.nest(std::move(after), std::move(element_loops_)),
                        .body = {}};
    if (emitted.nest.computes()) emitted.body = std::move(body);
    return emitted;
  }

 private:
  std::string describe(const LoopMember& member) const {
    return comment(plan_.program().steps[member.step].node);
  }

  std::string declarations() const {
    std::string text;
    const auto pointer = [&](const LoopValue& value, std::size_t block) {
      const std::string type = c_type(value.dtype);
      const bool constant = value.kind == LoopValue::Kind::Input;
      text += "  " + std::string(constant ? "const " : "") + type + " *const " + value.memory +
              " = (" + (constant ? "const " : "") + type + " *)block[" + std::to_string(block) +
              "];\n";
    };
    std::size_t block = 0;
    for (const LoopValue& value : values_.values()) {
      if (value.kind != LoopValue::Kind::Input) continue;
      if (value.last_read >= 0) pointer(value, block);
      ++block;
    }
    for (const LoopValue& value : values_.values())
      if (value.is_output()) pointer(value, block++);
    for (std::size_t f = 0; f < values_.n_folds(); ++f, ++block)
      if (values_.is_own_fold(f)) pointer(values_.values()[values_.folded(f)], block);
    for (const LoopValue& value : values_.values()) {
      const std::string type = value.dtype == DType::Object ? "" : c_type(value.dtype);
      if (value.kind == LoopValue::Kind::Number && value.last_read >= 0)
        text += "  const " + type + " s" + std::to_string(value.index) + " = number[" +
                std::to_string(value.index) + "]." + type_member(value.dtype) + ";\n";
      if (value.memory.starts_with("t"))
        text += "  " + type + " " + value.memory + "[" + std::to_string(kLoopBlock) + "];\n";
    }
    return text;
  }

  static std::string type_member(DType dtype) { return c_type(dtype); }

  std::string operand(std::size_t value, int phase) const {
    const LoopValue& v = values_.values()[value];
    if (v.kind == LoopValue::Kind::Number) return "s" + std::to_string(v.index);
    if (v.kind == LoopValue::Kind::Member && v.phase == phase) return "v" + std::to_string(v.index);
    return "x_" + v.memory;
  }

  std::string element_loop(int phase) const {
    std::string loads, text;
    std::vector<bool> loaded(values_.values().size(), false);
    for (const LoopMember& member : values_.members()) {
      const LoopValue& value = values_.values()[member.value];
      if (value.phase != phase) continue;
      std::vector<std::string> operands;
      for (std::size_t i = 0; i < member.inputs.size(); ++i) {
        const std::size_t input = member.inputs[i];
        operands.push_back(operand(input, phase));
        const LoopValue& v = values_.values()[input];
        if (!member.reads(i)) continue;
        if (v.kind == LoopValue::Kind::Number || v.phase == phase || loaded[input]) continue;
        loaded[input] = true;
        loads += "    const " + std::string(c_type(v.dtype)) + " " + operands.back() + " = " +
                 v.memory + "[k];\n";
      }
      text += "  " + describe(member) + "    const " + c_type(value.dtype) + " v" +
              std::to_string(value.index) + " = " +
              unparenthesised(fill_c_template(member.c, member.code->op, value.dtype, operands)) +
              ";\n";
      if (!value.memory.empty())
        text += "    " + value.memory + "[k] = v" + std::to_string(value.index) + ";\n";
    }
    if (text.empty()) return "";
    return "#pragma omp simd\n  for (i64 k = 0; k < (n & -16); ++k) {\n" + loads + text +
           "  }\n  TV_END_VECTORS;\n";
  }

  std::string calls(int phase) {
    std::string text;
    for (const LoopMember& member : values_.members()) {
      const LoopValue& value = values_.values()[member.value];
      if (value.phase != phase) continue;
      std::string pointers, strides;
      for (const std::size_t input : member.inputs) {
        const LoopValue& v = values_.values()[input];
        const bool number = v.kind == LoopValue::Kind::Number;
        pointers +=
            number ? "(char *)&s" + std::to_string(v.index) + ", " : "(char *)" + v.memory + ", ";
        strides += (number ? "0" : std::to_string(item_size(v.dtype))) + ", ";
      }
      text += describe(member) + "  call[" + std::to_string(element_loops_.size()) +
              "]((char *[]){" + pointers + "(char *)" + value.memory + "}, (const i64[]){" +
              strides + std::to_string(item_size(value.dtype)) + "}, n);\n";
      element_loops_.push_back(member.code->loop);
    }
    return text;
  }

  const Plan& plan_;
  LoopValues values_;
  std::vector<ElementLoop> element_loops_;
};

}  // namespace

EmittedLoop emit_loop(const Plan& plan, const Unit& unit, std::vector<StepRange> after) {
  return LoopBody(plan, unit).emit(std::move(after));
}

}  // namespace thunkvm
