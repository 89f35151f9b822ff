#include "ops/reduction/cumulative.h"

#include "ops/graph/extents.h"

namespace thunkvm {

std::vector<Variable> CumulativeOp::call(std::span<const Variable> inputs) const {
  expect_inputs(inputs, 1);
  const Variable& x = inputs[0];
  StaticShape shape = x.static_shape();
  if (axis_) {
    normalize_axis(*axis_, x.ndim());
  } else {
    std::int64_t size = 1;
    for (std::int64_t length : shape)
      size = length < 0 || size < 0 ? kUnknownLength : size * length;
    shape = {size};
  }
  return {Apply::make1(*this, inputs, TensorType::of(sum_dtype(x.dtype()), shape))};
}

std::vector<Extents> CumulativeOp::infer_shape(Apply&,
                                               std::span<const Extents> input_shapes) const {
  return {axis_ ? input_shapes[0] : Extents{size_of(input_shapes[0])}};
}

std::vector<Variable> CumulativeOp::grad(Apply& node, std::span<const Variable> g) const {
  const Variable& x = node.input(0);
  if (!g[0] || !is_inexact(x.dtype())) return {Variable()};
  if (axis_) return {gradient_along(x, g[0], axis_of(node))};
  const std::int64_t all[] = {-1};
  return {
      reshape(gradient_along(reshape(x, constant_vector(all), 1), g[0], 0), shape(x), x.ndim())};
}

std::vector<Variable> CumulativeOp::batch(Apply& node, std::span<const Variable> inputs,
                                          const std::vector<bool>&) const {
  if (axis_) return {along(inputs[0], axis_of(node) + 1)};
  std::vector<int> axes;
  for (int axis = 1; axis <= node.input(0).ndim(); ++axis) axes.push_back(axis);
  const Variable rows =
      prepend_length(length_of(inputs[0], 0), expand_dims(count_along(inputs[0], axes), {0}));
  return {along(reshape(inputs[0], rows, 2), 1)};
}

Variable slice_along(const Variable& x, int axis, const std::string& slice) {
  std::vector<std::string> index(static_cast<std::size_t>(axis), ":");
  index.push_back(slice);
  return subtensor(x, index);
}

Variable reversed(const Variable& x, int axis) { return slice_along(x, axis, "::-1"); }

}  // namespace thunkvm
