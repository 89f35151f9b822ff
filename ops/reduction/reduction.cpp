// reduction.cpp: the axes and shapes of reductions, and their way back in gradients.
#include "ops/reduction/reduction.h"

#include "ops/graph/extents.h"

#include <algorithm>

namespace thunkvm {

DType sum_dtype(DType dtype) {
  switch (kind(dtype)) {
    case Kind::Bool:
    case Kind::Signed: return DType::Int64;
    case Kind::Unsigned: return DType::UInt64;
    default: return dtype;
  }
}

std::vector<int> ReductionOp::reduced_axes(int ndim) const {
  std::vector<int> axes;
  if (axes_) {
    axes = normalize_axes(*axes_, ndim);
    std::sort(axes.begin(), axes.end());
  } else {
    for (int axis = 0; axis < ndim; ++axis) axes.push_back(axis);
  }
  return axes;
}

AxisSet ReductionOp::axis_set(int ndim) const {
  AxisSet axes = 0;
  for (const int axis : reduced_axes(ndim)) axes |= AxisSet{1} << axis;
  return axes;
}

std::vector<Variable> ReductionOp::call(std::span<const Variable> inputs) const {
  expect_inputs(inputs, 1);
  const AxisSet axes = axis_set(inputs[0].ndim());
  const StaticShape& lengths = inputs[0].static_shape();
  StaticShape shape;
  for (std::size_t axis = 0; axis < lengths.size(); ++axis) {
    if (!has_axis(axes, axis))
      shape.push_back(lengths[axis]);
    else if (keepdims_)
      shape.push_back(1);
  }
  return {Apply::make1(*this, inputs, TensorType::of(result_dtype(inputs[0].dtype()), shape))};
}

std::vector<Extents> ReductionOp::infer_shape(Apply&, std::span<const Extents> input_shapes) const {
  const AxisSet axes = axis_set(static_cast<int>(input_shapes[0].size()));
  Extents kept;
  for (std::size_t axis = 0; axis < input_shapes[0].size(); ++axis) {
    if (!has_axis(axes, axis))
      kept.push_back(input_shapes[0][axis]);
    else if (keepdims_)
      kept.push_back(extent(1));
  }
  return {kept};
}

std::vector<Variable> ReductionOp::batch(Apply& node, std::span<const Variable> inputs,
                                         const std::vector<bool>&) const {
  Attributes attrs = attributes();
  attrs.set("axis", shift_axes(reduced_axes(node.input(0).ndim()), 1));
  return {call_op(name(), {inputs[0]}, attrs)};
}

Variable ReductionOp::with_axes(const Variable& result, int ndim) const {
  if (keepdims_) return result;
  const std::vector<int> axes = reduced_axes(ndim);
  return axes.empty() ? result : expand_dims(result, shift_axes(axes, 0));
}

Variable ReductionOp::spread(const Variable& result, const Variable& x) const {
  return broadcast_to(with_axes(result, x.ndim()), shape(x), x.ndim());
}

Variable ReductionOp::count(const Variable& x, DType dtype) const {
  return cast_now(count_along(x, reduced_axes(x.ndim())), dtype);
}

}  // namespace thunkvm
