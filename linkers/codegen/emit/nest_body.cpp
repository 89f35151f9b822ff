// nest_body.cpp: fused nests.
//
// In bodies `n` is a multiple of 16, and says so, so that the compiler leaves out what would follow
// the vectors.
#include "linkers/codegen/emit/nest_body.h"

#include "linkers/codegen/plan/nest_values.h"
#include "ops/graph/c_template.h"

#include <algorithm>
#include <map>

namespace thunkvm {
namespace {

constexpr const char* kParameters =
    "(char *const *block, const tv_value *number, const tv_element_function *call, char *own, i64 "
    "n)";

class NestBody {
 public:
  NestBody(const Plan& plan, const Group& group) : plan_(plan), values_(plan, group) {}

  EmittedNest emit(std::vector<StepRange> after, const std::string& name, ModuleText& module) {
    declare();
    for (int phase = 0; phase <= values_.last_phase(); ++phase)
      phase % 2 == 0 ? write_elements(phase) : write_calls(phase);
    FusedNest fused = values_.nest(std::move(after), std::move(element_functions_));
    if (!fused.computes()) return {std::move(fused), name};
    const auto [known, added] = module.loop_names.emplace(text_.code(), name);
    if (added) {
      module.nests.verbatim("void " + name + kParameters + " {\n");
      module.nests.append(std::move(text_));
      module.nests.verbatim("}\n\n");
    }
    return {std::move(fused), known->second};
  }

 private:
  using Storage = NestValue::Storage;
  using Kind = NestValue::Kind;

  void describe(const NestMember& member) { text_.node(plan_.program().steps[member.step].node); }

  /// The pointer to a value's block: `a`, `o` and `f` of inputs, outputs and what else is reduced,
  /// numbered as the body is given them, and `t` of what it has itself.
  static std::string pointer(const NestValue& value) {
    if (value.storage == Storage::Own) return join("t", value.block);
    return join(value.kind == Kind::Input ? "a" : value.is_output() ? "o" : "f", value.block);
  }
  static std::string number(const NestValue& value) { return join("s", value.index); }
  static std::string variable(const NestValue& value) { return join("v", value.index); }

  void declare() {
    std::map<std::size_t, const NestValue*> given;
    for (const NestValue& value : values_.values())
      if (value.storage == Storage::Given && (value.kind != Kind::Input || value.last_read >= 0))
        given[value.block] = &value;
    for (const auto& [block, value] : given) {
      const std::string to = join(value->kind == Kind::Input ? "const " : "", type(*value), " *");
      text_.line(to, "const ", pointer(*value), " = (", to, ")block[", block, "];");
    }
    for (const NestValue& value : values_.values()) {
      if (value.kind == Kind::Number && value.last_read >= 0)
        text_.line("const ", type(value), " ", number(value), " = number[", value.index, "].",
                   type(value), ";");
      if (value.storage == Storage::Own)
        text_.line(type(value), " *const ", pointer(value), " = (", type(value), " *)(own + ",
                   value.own_at, ");");
    }
  }

  static std::string type(const NestValue& value) { return c_type(value.dtype); }

  std::string operand(const NestValue& value, int phase) const {
    if (value.kind == Kind::Number) return number(value);
    if (value.kind == Kind::Member && value.phase == phase) return variable(value);
    return "x_" + pointer(value);
  }

  /// The members that are computed in a phase.
  std::vector<const NestMember*> members_in(int phase) const {
    std::vector<const NestMember*> members;
    for (const NestMember& member : values_.members())
      if (values_.values()[member.value].phase == phase) members.push_back(&member);
    return members;
  }

  void write_elements(int phase) {
    const std::vector<const NestMember*> members = members_in(phase);
    if (members.empty()) return;
    text_.verbatim("#pragma omp simd\n");
    text_.open("for (i64 k = 0; k < (n & -", kNestLanes, "); ++k) {");
    std::vector<bool> loaded(values_.values().size(), false);
    for (const NestMember* member : members)
      for (std::size_t i = 0; i < member->inputs.size(); ++i) {
        const NestValue& value = values_.values()[member->inputs[i]];
        if (!member->form->reads(i) || value.kind == Kind::Number || value.phase == phase) continue;
        if (loaded[member->inputs[i]]) continue;
        loaded[member->inputs[i]] = true;
        text_.line("const ", type(value), " ", operand(value, phase), " = ", pointer(value),
                   "[k];");
      }
    for (const NestMember* member : members) {
      const NestValue& value = values_.values()[member->value];
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
    for (const NestMember* member : members_in(phase)) {
      const NestValue& value = values_.values()[member->value];
      std::string pointers, strides;
      for (const std::size_t input : member->inputs) {
        const NestValue& v = values_.values()[input];
        const bool is_number = v.kind == Kind::Number;
        pointers += join("(char *)", is_number ? "&" + number(v) : pointer(v), ", ");
        strides += join(is_number ? 0 : item_size(v.dtype), ", ");
      }
      describe(*member);
      text_.line("call[", element_functions_.size(), "]((char *[]){", pointers, "(char *)",
                 pointer(value), "}, (const i64[]){", strides, item_size(value.dtype), "}, n);");
      element_functions_.push_back(member->form->code->function);
    }
  }

  CText text_{1};
  const Plan& plan_;
  NestValues values_;
  std::vector<ElementFunction> element_functions_;
};

/// For people: what it reads and writes, and the body where that has another number.
void annotate_nest(const FusedNest& fused, const std::string& other_body, FunctionWriter& c) {
  if (!fused.computes()) return c.text.annotate({{"nothing but the lengths of it is read"}});
  std::vector<std::uint32_t> inputs, outputs;
  for (const FusedNest::Output& output : fused.outputs)
    outputs.insert(outputs.end(), output.registers.begin(), output.registers.end());
  for (const FusedNest::Result& result : fused.results) outputs.push_back(result.reg);
  for (const FusedNest::Source& source : fused.sources) inputs.push_back(source.reg);
  c.annotate_call(inputs, outputs, other_body.empty() ? "" : ", by " + other_body);
}

}  // namespace

EmittedNest write_nest(const Plan& plan, const Group& group, std::vector<StepRange> after,
                       std::size_t index, ModuleText& module, FunctionWriter& c) {
  const std::string name = join("nest_", index);
  EmittedNest nest = NestBody(plan, group).emit(std::move(after), name, module);
  const FusedNest& fused = nest.fused;
  const auto is_number = [&](const FusedNest::Result& result) {
    return plan.reg(result.reg).number;
  };
  const bool numbers = !fused.numbers.empty();
  const bool results = std::ranges::any_of(fused.results, is_number);
  annotate_nest(fused, nest.body == name ? "" : nest.body, c);
  if (numbers || results) c.text.open("{");
  if (numbers) c.text.open("const tv_value numbers[] = {");
  for (const FusedNest::Number& number : fused.numbers)
    c.text.line("{.", c_type(number.dtype), " = ", c.read(number.reg), "},");
  if (numbers) c.text.close("};");
  if (results) c.text.line("tv_value results[", fused.results.size(), "];");
  c.call_or_fail("nest", index, ", ", numbers ? "numbers" : "0", ", ", results ? "results" : "0");
  for (std::size_t f = 0; f < fused.results.size(); ++f)
    if (is_number(fused.results[f])) {
      const std::uint32_t reg = fused.results[f].reg;
      c.write(reg, join("results[", f, "].", c_type(plan.reg(reg).dtype)));
    }
  if (numbers || results) c.text.close();
  return nest;
}

}  // namespace thunkvm
