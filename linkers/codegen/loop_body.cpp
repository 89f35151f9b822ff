// loop_body.cpp: bodies of fused loops.
//
// `n` is a multiple of 16, and says so, so that the compiler leaves out what would follow the
// vectors. The members come in phases: even ones are a loop over the block in which every member
// with a template is an expression; in odd ones, kernels' own loops are called for the block, one
// after the other. A member is in the first phase that follows what it reads.
#include "linkers/codegen/loop_body.h"

#include "ops/block_fold.h"
#include "ops/c_template.h"

#include <algorithm>
#include <unordered_map>

namespace thunkvm {
namespace {

constexpr const char* kParameters =
    "(char *const *block, const tv_value *number, const tv_element_loop *call, i64 n)";

class LoopBody {
 public:
  LoopBody(const Plan& plan, const Unit& unit)
      : plan_(plan), program_(plan.program()), unit_(unit) {}

  EmittedLoop emit(std::vector<StepRange> after) {
    find_values();
    find_storage();
    find_order();
    EmittedLoop result{.loop = loop(std::move(after)), .body = kParameters};
    result.body += " {\n" + declarations();
    for (int phase = 0; phase <= last_phase_; ++phase)
      result.body += phase % 2 == 0 ? element_loop(phase) : calls(phase);
    result.body += "}\n";
    result.loop.element_loops = std::move(element_loops_);
    return result;
  }

 private:
  /// An array that the loop reads, a number, or what a member computes.
  struct Value {
    enum class Kind : std::uint8_t { Input, Number, Member };
    Kind kind = Kind::Input;
    DType dtype = DType::Float64;
    std::size_t index = 0;  // among its kind
    int phase = -1;         // where a member is computed; -1: before the body
    int position = 0;       // of a call within its phase
    bool output = false, fold = false, stored = false;
    std::string memory;  // the pointer to its block, where it has one
    int last_read = 0;   // the order of the last read of an input
  };
  struct Member {
    std::uint32_t step;
    std::size_t value;
    std::vector<std::size_t> inputs;  // values
    const ElementCode* code;
  };

  std::size_t value_of(std::uint32_t reg, const Type* type) {
    const auto found = value_of_.find(reg);
    if (found != value_of_.end()) return found->second;
    Value value;
    value.kind = type->tensor()->ndim() == 0 ? Value::Kind::Number : Value::Kind::Input;
    value.dtype = type->tensor()->dtype();
    std::vector<std::uint32_t>& regs = value.kind == Value::Kind::Number ? numbers_ : inputs_;
    value.index = regs.size();
    regs.push_back(reg);
    values_.push_back(value);
    return value_of_[reg] = values_.size() - 1;
  }

  void find_values() {
    for (const std::uint32_t step : unit_.steps) {
      const StepForm& form = plan_.step(step);
      const Operands& o = program_.steps[step].operands;
      const Apply& node = plan_.node(step);
      if (form.kind == StepForm::Kind::Fold) {
        folds_.push_back({step, value_of(o.input(0), &node.input(0).type())});
        values_[folds_.back().second].fold = true;
        continue;
      }
      Member member{step, 0, {}, form.code};
      int phase = form.code->c == nullptr ? 1 : 0;
      for (int i = 0; i < o.n_inputs; ++i) {
        member.inputs.push_back(value_of(o.input(i), &node.input(i).type()));
        const int at = values_[member.inputs.back()].phase;
        // The next phase of its kind that is not before.
        phase = std::max(phase, at + (at >= 0 && at % 2 != phase % 2 ? 1 : 0));
      }
      Value value;
      value.kind = Value::Kind::Member;
      value.dtype = node.output_type(0).tensor()->dtype();
      value.index = members_.size();
      value.phase = phase;
      value.position = phase % 2 == 0 ? 0 : static_cast<int>(members_.size());
      value.output = !plan_.only_read_by(o.output(0), unit_.steps);
      values_.push_back(value);
      member.value = values_.size() - 1;
      value_of_[o.output(0)] = member.value;
      members_.push_back(std::move(member));
      last_phase_ = std::max(last_phase_, phase);
    }
  }

  /// What is read in another phase, or by a call, lies in a block.
  void find_storage() {
    for (const Member& member : members_) {
      Value& value = values_[member.value];
      value.stored |= value.output || value.fold || value.phase % 2 != 0;
      for (const std::size_t input : member.inputs)
        if (values_[input].phase != value.phase || value.phase % 2 != 0)
          values_[input].stored = true;
    }
    std::size_t outputs = 0, folds = 0, temporaries = 0;
    for (const auto& [step, value] : folds_)
      if (values_[value].memory.empty() && values_[value].kind == Value::Kind::Member &&
          !values_[value].output)
        values_[value].memory = "f" + std::to_string(folds++);
    for (Value& value : values_) {
      if (value.kind == Value::Kind::Input) {
        value.memory = "a" + std::to_string(value.index);
      } else if (value.kind == Value::Kind::Member && value.output) {
        value.memory = "o" + std::to_string(outputs++);
      } else if (value.kind == Value::Kind::Member && value.stored && value.memory.empty()) {
        value.memory = "t" + std::to_string(temporaries++);
      }
    }
  }

  static int order(const Value& value) { return value.phase * 64 + value.position; }

  void find_order() {
    for (const Member& member : members_)
      for (const std::size_t input : member.inputs)
        values_[input].last_read = std::max(values_[input].last_read, order(values_[member.value]));
  }

  std::string declarations() const {
    std::string text;
    const auto pointer = [&](const Value& value, std::size_t block) {
      const std::string type = c_type(value.dtype);
      const bool constant = value.kind == Value::Kind::Input;
      text += "  " + std::string(constant ? "const " : "") + type + " *const " + value.memory +
              " = (" + (constant ? "const " : "") + type + " *)block[" + std::to_string(block) +
              "];\n";
    };
    std::size_t block = 0;
    for (const Value& value : values_)
      if (value.kind == Value::Kind::Input) pointer(value, block++);
    for (const Value& value : values_)
      if (value.output) pointer(value, block++);
    for (std::size_t f = 0; f < folds_.size(); ++f, ++block)
      if (is_own_fold(f)) pointer(values_[folds_[f].second], block);
    for (const Value& value : values_) {
      const std::string type = value.dtype == DType::Object ? "" : c_type(value.dtype);
      if (value.kind == Value::Kind::Number)
        text += "  const " + type + " s" + std::to_string(value.index) + " = number[" +
                std::to_string(value.index) + "]." + type_member(value.dtype) + ";\n";
      else if (value.memory.starts_with("t"))
        text += "  " + type + " " + value.memory + "[" + std::to_string(kLoopBlock) + "];\n";
    }
    return text;
  }

  /// The first fold of a value that is no output has a block that the value is written to; what
  /// others fold is copied there.
  bool is_own_fold(std::size_t f) const {
    return values_[folds_[f].second].memory.starts_with("f") && first_fold_of(f) == f;
  }
  std::size_t first_fold_of(std::size_t f) const {
    for (std::size_t g = 0; g < f; ++g)
      if (folds_[g].second == folds_[f].second) return g;
    return f;
  }

  static std::string type_member(DType dtype) { return c_type(dtype); }

  std::string operand(std::size_t value, int phase) const {
    const Value& v = values_[value];
    if (v.kind == Value::Kind::Number) return "s" + std::to_string(v.index);
    if (v.kind == Value::Kind::Member && v.phase == phase) return "v" + std::to_string(v.index);
    return "x_" + v.memory;
  }

  std::string element_loop(int phase) const {
    std::string loads, text;
    std::vector<bool> loaded(values_.size(), false);
    for (const Member& member : members_) {
      const Value& value = values_[member.value];
      if (value.phase != phase) continue;
      std::vector<std::string> operands;
      for (const std::size_t input : member.inputs) {
        operands.push_back(operand(input, phase));
        const Value& v = values_[input];
        if (v.kind == Value::Kind::Number || v.phase == phase || loaded[input]) continue;
        loaded[input] = true;
        loads += "    const " + std::string(c_type(v.dtype)) + " " + operands.back() + " = " +
                 v.memory + "[k];\n";
      }
      text +=
          "  " + plan_.describe(member.step) + "    const " + c_type(value.dtype) + " v" +
          std::to_string(value.index) + " = " +
          unparenthesised(fill_c_template(member.code->c, member.code->op, value.dtype, operands)) +
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
    for (const Member& member : members_) {
      const Value& value = values_[member.value];
      if (value.phase != phase) continue;
      std::string pointers, strides;
      for (const std::size_t input : member.inputs) {
        const Value& v = values_[input];
        const bool number = v.kind == Value::Kind::Number;
        pointers +=
            number ? "(char *)&s" + std::to_string(v.index) + ", " : "(char *)" + v.memory + ", ";
        strides += (number ? "0" : std::to_string(item_size(v.dtype))) + ", ";
      }
      text += plan_.describe(member.step) + "  call[" + std::to_string(element_loops_.size()) +
              "]((char *[]){" + pointers + "(char *)" + value.memory + "}, (const i64[]){" +
              strides + std::to_string(item_size(value.dtype)) + "}, n);\n";
      element_loops_.push_back(member.code->loop);
    }
    return text;
  }

  FusedLoop loop(std::vector<StepRange> after) const {
    FusedLoop loop;
    const auto dies = [&](std::uint32_t reg) {
      return !plan_.options().checked &&
             std::find(unit_.retired.begin(), unit_.retired.end(), reg) != unit_.retired.end();
    };
    loop.ndim = plan_.step(unit_.steps.front()).ndim;
    for (const std::uint32_t reg : inputs_)
      loop.inputs.push_back({reg, values_[value_of_.at(reg)].dtype, dies(reg)});
    for (const std::uint32_t reg : numbers_)
      loop.numbers.push_back({reg, values_[value_of_.at(reg)].dtype, plan_.reg(reg).local});
    for (const Member& member : members_) {
      const Value& value = values_[member.value];
      const std::uint32_t reg = program_.steps[member.step].operands.output(0);
      loop.cost += member.code->cost;
      std::uint32_t source = 0;
      bool only_inputs = true;
      for (const std::size_t input : member.inputs) {
        if (values_[input].kind == Value::Kind::Member) only_inputs = false;
        if (values_[input].kind == Value::Kind::Input) source |= 1u << values_[input].index;
      }
      if (only_inputs) loop.sources.push_back(source);
      if (!value.output) {
        loop.internal.push_back(reg);
        continue;
      }
      FusedLoop::Output output{.reg = reg, .dtype = value.dtype};
      for (const Value& input : values_)
        if (input.kind == Value::Kind::Input && !input.fold && input.last_read <= order(value))
          output.may_take |= 1u << input.index;
      loop.outputs.push_back(output);
    }
    for (std::size_t f = 0; f < folds_.size(); ++f) {
      const StepForm& form = plan_.step(folds_[f].first);
      const Value& value = values_[folds_[f].second];
      FusedLoop::Fold fold{.fold = form.fold,
                           .reg = program_.steps[folds_[f].first].operands.output(0),
                           .keepdims = form.keepdims};
      fold.operand = value.kind == Value::Kind::Input ? value.index
                     : value.output ? inputs_.size() + output_index(folds_[f].second)
                                    : inputs_.size() + loop.outputs.size() + first_fold_of(f);
      loop.folds.push_back(fold);
      loop.reduced = form.reduced;
      loop.cost += 1;
    }
    for (const std::uint32_t step : unit_.steps) {
      loop.members.indices.push_back(step);
      loop.members.steps.push_back(program_.steps[step]);
      loop.members.steps.back().operands.dying = 0;
    }
    loop.members.after = std::move(after);
    return loop;
  }

  std::size_t output_index(std::size_t value) const {
    std::size_t index = 0;
    for (std::size_t v = 0; v < value; ++v) index += values_[v].output;
    return index;
  }

  const Plan& plan_;
  const Program& program_;
  const Unit& unit_;
  std::vector<Value> values_;
  std::vector<std::uint32_t> inputs_, numbers_;  // registers
  std::vector<Member> members_;
  std::vector<std::pair<std::uint32_t, std::size_t>> folds_;  // step, value
  std::unordered_map<std::uint32_t, std::size_t> value_of_;   // by register
  std::vector<ElementLoop> element_loops_;
  int last_phase_ = 0;
};

}  // namespace

EmittedLoop emit_loop(const Plan& plan, const Unit& unit, std::vector<StepRange> after) {
  return LoopBody(plan, unit).emit(std::move(after));
}

}  // namespace thunkvm
