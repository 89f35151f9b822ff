#include "linkers/codegen/emit/array_reads.h"

#include "ops/graph/c_template.h"

#include <string>

namespace thunkvm {
namespace {

/// As C has it: of the least one there is no literal.
std::string literal(std::int64_t number) {
  return number == INT64_MIN ? "(-9223372036854775807 - 1)" : std::to_string(number);
}

}  // namespace

void write_length(const Plan& plan, StepIndex step, FunctionWriter& c) {
  const Operands& o = plan.program().steps[step].operands;
  const IntegerSource& source = plan.step(step).source;
  const std::uint32_t from = o.input(static_cast<int>(source.input));
  const auto length = [&](std::int64_t axis) { return join(c.array(from), "->dims[", axis, "]"); };
  if (source.kind == IntegerSource::Kind::Length) return c.write(o.output(0), length(source.at));
  std::string size = length(0);
  for (int axis = 1; axis < plan.node(step).input(static_cast<int>(source.input)).ndim(); ++axis)
    size += " * " + length(axis);
  c.write(o.output(0), size);
}

void write_pick(const Plan& plan, StepIndex step, std::size_t call, FunctionWriter& c) {
  const Operands& o = plan.program().steps[step].operands;
  const std::vector<AxisIndex>& indices = plan.step(step).indices;
  std::string none, offset;
  c.text.open("{");
  c.text.line("const tv_array *const x = ", c.array(o.input(0)), ";");
  for (std::size_t axis = 0; axis < indices.size(); ++axis) {
    const AxisIndex& index = indices[axis];
    c.text.line("const i64 at", axis, " = TV_AT(",
                index.input < 0 ? literal(index.number) : c.read(o.input(index.input)),
                ", x->dims[", axis, "]);");
    none += join(axis > 0 ? " | at" : "at", axis);
    offset += join(" + at", axis, " * x->dims[", indices.size() + axis, "]");
  }
  c.text.open("if (", indices.size() > 1 ? "(" + none + ")" : none, " < 0) {");
  for (int i = 1; i < o.n_inputs; ++i) c.spill(o.input(i));
  c.text.line(c.fail(join(c.service("run"), "(call, ", call, ")")));
  c.text.close();
  const DType dtype = plan.reg(o.output(0)).dtype;
  c.write(o.output(0), join("*(const ", c_type(dtype), " *)(x->data", offset, ")"));
  c.text.close();
}

}  // namespace thunkvm
