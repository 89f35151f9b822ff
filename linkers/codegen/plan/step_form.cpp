#include "linkers/codegen/plan/step_form.h"

#include "thunks/cast.h"

#include <algorithm>

namespace thunkvm {
namespace {

bool has_c_dtype(const Type& type) {
  return type.tensor() != nullptr && c_type(type.tensor()->dtype()) != nullptr;
}

bool has_c_inputs(const Apply& node) {
  return std::ranges::all_of(node.inputs(), has_c_dtype, &Variable::type);
}

/// A sum that undoes a broadcast, of which it is known that there was one.
bool adds_up(const IndexMap& map, const Apply& node) {
  if (!map.rule().is_value) return false;
  const StaticShape& from = node.input(map.value).static_shape();
  const StaticShape& to = node.output_type(0).tensor()->shape();
  for (std::size_t axis = 0; axis < to.size(); ++axis)
    if (to[axis] == 1 && from[axis] != 1) return true;
  return false;
}

/// A Kernel where it is no length, nor a size.
StepForm form_of_length(const Apply& node) {
  if (node.op()->shape_query() == nullptr || node.n_outputs() != 1) return {};
  const TensorType* type = node.output_type(0).tensor();
  if (type == nullptr || type->ndim() != 0 || type->dtype() != DType::Int64) return {};
  const auto sources = node.op()->integers(node);
  if (!sources || sources->size() != 1) return {};
  const IntegerSource& source = sources->front();
  const bool is_shape_of =
      source.kind == IntegerSource::Kind::Length || source.kind == IntegerSource::Kind::Size;
  if (!is_shape_of || node.input(static_cast<int>(source.input)).ndim() == 0) return {};
  return {.kind = StepForm::Kind::Length, .source = source};
}

StepForm form_of_map(const IndexMap& map, const Apply& node) {
  if (!has_c_inputs(node)) return {.why = "one of its dtypes has no type in C"};
  if (map.indices != nullptr) {
    if (node.input(0).ndim() == 0) return {.why = "it picks the one element of a number"};
    return {.kind = StepForm::Kind::Pick, .indices = map.indices(node)};
  }
  if (adds_up(map, node)) return {.why = "it adds up what was broadcast"};
  return {.kind = StepForm::Kind::Mapped,
          .map = &map,
          .ndim = node.output_type(0).tensor()->ndim(),
          .why = "other code than nests reads it"};
}

/// The template where one of the inputs is a certain constant; null where it is not.
const char* c_for_constants(const ElementCode& code, const Apply& node) {
  if (code.c_constant == nullptr) return nullptr;
  const Variable& input = node.input(code.c_constant->input);
  if (!input.is_constant() || input.ndim() != 0) return nullptr;
  const double value = cast_cell(input.constant_value(), DType::Float64).get<double>();
  return value == code.c_constant->value ? code.c_constant->c : nullptr;
}

}  // namespace

bool is_number(const Type& type) { return has_c_dtype(type) && type.tensor()->ndim() == 0; }

StepForm form_of(const Step& step, const Apply& node) {
  if (step.run == &run_bound) return {.why = "it is a thunk of Python or of a frame"};
  const Op& op = *node.op();
  if (const ElementCode* code = op.element_code(node)) {
    if (!has_c_dtype(node.output_type(0)) || !has_c_inputs(node))
      return {.why = "one of its dtypes has no type in C"};
    if (code->can_fail) return {.why = "it raises errors for some elements"};
    const int ndim = node.output_type(0).tensor()->ndim();
    if (ndim == 0 && code->c_number == nullptr)
      return {.why = "the Op has no template for numbers"};
    const char* c = c_for_constants(*code, node);
    if (c == nullptr) c = ndim == 0 ? code->c_number : code->c;
    return {.kind = ndim == 0 ? StepForm::Kind::Expression : StepForm::Kind::Element,
            .code = code,
            .c = c != nullptr ? std::optional<CTemplate>(c) : std::nullopt,
            .ndim = ndim};
  }
  if (const auto reduction = op.block_reduction(node)) {
    const BlockReduction& kernel = *reduction->kernel;
    if (c_type(kernel.in) == nullptr || c_type(kernel.out) == nullptr)
      return {.why = "one of its dtypes has no type in C"};
    if (node.input(0).ndim() == 0) return {.why = "it reduces a number"};
    if (reduction->axes == 0) return {.why = "it reduces no axis"};
    return {.kind = StepForm::Kind::Reduction,
            .reduction = &kernel,
            .ndim = node.input(0).ndim(),
            .reduced = reduction->axes,
            .keepdims = reduction->keepdims};
  }
  if (const IndexMap* map = op.index_map(node)) return form_of_map(*map, node);
  if (StepForm length = form_of_length(node); length.kind == StepForm::Kind::Length) return length;
  return {.why = "the Op is a kernel as a whole"};
}

bool StepForm::compares(int input) const {
  return kind == Kind::Mapped && map->rule().is_given_lengths && map->lengths == input;
}

bool StepForm::is_lengths() const { return kind == Kind::Mapped && map->rule().is_lengths; }

}  // namespace thunkvm
