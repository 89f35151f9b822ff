// loop_body.cpp: fused loops.
//
// In bodies `n` is a multiple of 16, and says so, so that the compiler leaves out what would follow
// the vectors.
#include "linkers/codegen/emit/loop_body.h"

#include "linkers/codegen/plan/loop_values.h"
#include "ops/graph/c_template.h"

#include <algorithm>
#include <map>

namespace thunkvm {
namespace {

constexpr const char* kParameters =
    "(char *const *block, const tv_value *number, const tv_element_loop *call, char *own, i64 n)";

class LoopBody {
 public:
  LoopBody(const Plan& plan, const Group& group) : plan_(plan), values_(plan, group) {}

  EmittedLoop emit(std::vector<StepRange> after, const std::string& name, ModuleText& module) {
    declare();
    for (int phase = 0; phase <= values_.last_phase(); ++phase)
      phase % 2 == 0 ? write_elements(phase) : write_calls(phase);
    LoopNest nest = values_.nest(std::move(after), std::move(element_loops_));
    if (!nest.computes()) return {std::move(nest), name};
    const auto [known, added] = module.loop_names.emplace(text_.code(), name);
    if (added) {
      module.loops.verbatim("void " + name + kParameters + " {\n");
      module.loops.append(std::move(text_));
      module.loops.verbatim("}\n\n");
    }
    return {std::move(nest), known->second};
  }

 private:
  using Storage = LoopValue::Storage;
  using Kind = LoopValue::Kind;

  void describe(const LoopMember& member) { text_.node(plan_.program().steps[member.step].node); }

  /// The pointer to a value's block: `a`, `o` and `f` of inputs, outputs and what else is reduced,
  /// numbered as the body is given them, and `t` of what it has itself.
  static std::string pointer(const LoopValue& value) {
    if (value.storage == Storage::Own) return join("t", value.block);
    return join(value.kind == Kind::Input ? "a" : value.is_output() ? "o" : "f", value.block);
  }
  static std::string number(const LoopValue& value) { return join("s", value.index); }
  static std::string variable(const LoopValue& value) { return join("v", value.index); }

  void declare() {
    std::map<std::size_t, const LoopValue*> given;
    for (const LoopValue& value : values_.values())
      if (value.storage == Storage::Given && (value.kind != Kind::Input || value.last_read >= 0))
        given[value.block] = &value;
    for (const auto& [block, value] : given) {
      const std::string to = join(value->kind == Kind::Input ? "const " : "", type(*value), " *");
      text_.line(to, "const ", pointer(*value), " = (", to, ")block[", block, "];");
    }
    for (const LoopValue& value : values_.values()) {
      if (value.kind == Kind::Number && value.last_read >= 0)
        text_.line("const ", type(value), " ", number(value), " = number[", value.index, "].",
                   type(value), ";");
      if (value.storage == Storage::Own)
        text_.line(type(value), " *const ", pointer(value), " = (", type(value), " *)(own + ",
                   value.own_at, ");");
    }
  }

  static std::string type(const LoopValue& value) { return c_type(value.dtype); }

  std::string operand(const LoopValue& value, int phase) const {
    if (value.kind == Kind::Number) return number(value);
    if (value.kind == Kind::Member && value.phase == phase) return variable(value);
    return "x_" + pointer(value);
  }

  /// The members that are computed in a phase.
  std::vector<const LoopMember*> members_in(int phase) const {
    std::vector<const LoopMember*> members;
    for (const LoopMember& member : values_.members())
      if (values_.values()[member.value].phase == phase) members.push_back(&member);
    return members;
  }

  void write_elements(int phase) {
    const std::vector<const LoopMember*> members = members_in(phase);
    if (members.empty()) return;
    text_.verbatim("#pragma omp simd\n");
    text_.open("for (i64 k = 0; k < (n & -", kLoopLanes, "); ++k) {");
    std::vector<bool> loaded(values_.values().size(), false);
    for (const LoopMember* member : members)
      for (std::size_t i = 0; i < member->inputs.size(); ++i) {
        const LoopValue& value = values_.values()[member->inputs[i]];
        if (!member->form->reads(i) || value.kind == Kind::Number || value.phase == phase) continue;
        if (loaded[member->inputs[i]]) continue;
        loaded[member->inputs[i]] = true;
        text_.line("const ", type(value), " ", operand(value, phase), " = ", pointer(value),
                   "[k];");
      }
    for (const LoopMember* member : members) {
      const LoopValue& value = values_.values()[member->value];
      std::vector<std::string> operands;
      for (const std::size_t input : member->inputs)
        operands.push_back(operand(values_.values()[input], phase));
      describe(*member);
      text_.line("const ", type(value), " ", variable(value), " = ",
                 member->form->c->fill(member->form->code->op, value.dtype, operands), ";");
      if (value.storage != Storage::None)
        text_.line(pointer(value), "[k] = ", variable(value), ";");
    }
    text_.close();
    text_.line("TV_END_VECTORS;");
  }

  void write_calls(int phase) {
    for (const LoopMember* member : members_in(phase)) {
      const LoopValue& value = values_.values()[member->value];
      std::string pointers, strides;
      for (const std::size_t input : member->inputs) {
        const LoopValue& v = values_.values()[input];
        const bool is_number = v.kind == Kind::Number;
        pointers += join("(char *)", is_number ? "&" + number(v) : pointer(v), ", ");
        strides += join(is_number ? 0 : item_size(v.dtype), ", ");
      }
      describe(*member);
      text_.line("call[", element_loops_.size(), "]((char *[]){", pointers, "(char *)",
                 pointer(value), "}, (const i64[]){", strides, item_size(value.dtype), "}, n);");
      element_loops_.push_back(member->form->code->loop);
    }
  }

  CText text_{1};
  const Plan& plan_;
  LoopValues values_;
  std::vector<ElementLoop> element_loops_;
};

/// For people: what it reads and writes, and the body where that has another number.
void annotate_loop(const LoopNest& nest, const std::string& other_body, FunctionWriter& c) {
  if (!nest.computes()) return c.text.annotate({{"nothing but the lengths of it is read"}});
  std::vector<std::uint32_t> inputs, outputs;
  for (const LoopNest::Output& output : nest.outputs)
    outputs.insert(outputs.end(), output.registers.begin(), output.registers.end());
  for (const LoopNest::Result& result : nest.results) outputs.push_back(result.reg);
  for (const LoopNest::Source& source : nest.sources) inputs.push_back(source.reg);
  c.annotate_call(inputs, outputs, other_body.empty() ? "" : ", by " + other_body);
}

}  // namespace

EmittedLoop write_loop(const Plan& plan, const Group& group, std::vector<StepRange> after,
                       std::size_t index, ModuleText& module, FunctionWriter& c) {
  const std::string name = join("loop_", index);
  EmittedLoop loop = LoopBody(plan, group).emit(std::move(after), name, module);
  const LoopNest& nest = loop.nest;
  const auto is_number = [&](const LoopNest::Result& result) {
    return plan.reg(result.reg).number;
  };
  const bool numbers = !nest.numbers.empty();
  const bool results = std::ranges::any_of(nest.results, is_number);
  annotate_loop(nest, loop.body == name ? "" : loop.body, c);
  if (numbers || results) c.text.open("{");
  if (numbers) c.text.open("const tv_value numbers[] = {");
  for (const LoopNest::Number& number : nest.numbers)
    c.text.line("{.", c_type(number.dtype), " = ", c.read(number.reg), "},");
  if (numbers) c.text.close("};");
  if (results) c.text.line("tv_value results[", nest.results.size(), "];");
  c.call_or_fail("loop", index, ", ", numbers ? "numbers" : "0", ", ", results ? "results" : "0");
  for (std::size_t f = 0; f < nest.results.size(); ++f)
    if (is_number(nest.results[f])) {
      const std::uint32_t reg = nest.results[f].reg;
      c.write(reg, join("results[", f, "].", c_type(plan.reg(reg).dtype)));
    }
  if (numbers || results) c.text.close();
  return loop;
}

}  // namespace thunkvm
