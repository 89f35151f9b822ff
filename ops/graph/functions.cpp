#include "ops/graph/functions.h"

#include <algorithm>
#include <numeric>

namespace thunkvm {
namespace {

bool is_known(const StaticShape& shape) {
  return std::ranges::find(shape, kUnknownLength) == shape.end();
}

/// The shape of `x` as a constant where it is known, else as a node.
Variable shape_of(const Variable& x) {
  const StaticShape& known = x.static_shape();
  if (!is_known(known)) return shape(x);
  const auto ndim = static_cast<std::int64_t>(known.size());
  Array lengths = Array::allocate(DType::Int64, {&ndim, 1});
  std::ranges::copy(known, lengths.data_as<std::int64_t>());
  return Variable::constant(Cell::of_array(std::move(lengths)));
}

/// A tensor like `x` with the same number everywhere. As a constant it takes the memory of one
/// element.
Variable filled_like(const Variable& x, int value) {
  return visit_dtype(x.dtype(), "a constant", [&]<class T>(std::type_identity<T>) {
    const T element = static_cast<T>(static_cast<float>(value));
    const StaticShape& known = x.static_shape();
    if (!is_known(known)) return full(shape(x), Variable::number(element), x.ndim(), x.dtype());
    if (known.empty()) return Variable::number(element);
    const Array one = Array::scalar(element);
    const std::vector<std::int64_t> strides(known.size(), 0);
    return Variable::constant(Cell::of_array(one.view(known, strides, one.data())));
  });
}

/// False only if no run can have enlarged `x` to the shape of `gradient`.
bool may_be_broadcast(const Variable& x, const Variable& gradient) {
  if (x.ndim() != gradient.ndim()) return true;
  const StaticShape& from = x.static_shape();
  const StaticShape& to = gradient.static_shape();
  for (std::size_t i = 0; i < from.size(); ++i) {
    if ((from[i] == 1 || from[i] == kUnknownLength) && to[i] != 1) return true;
  }
  return false;
}

Axes axes_between(std::int64_t first, std::int64_t last) {
  Axes axes(static_cast<std::size_t>(last - first));
  std::iota(axes.begin(), axes.end(), first);
  return axes;
}

}  // namespace

Variable zeros_like(const Variable& x) { return filled_like(x, 0); }
Variable ones_like(const Variable& x) { return filled_like(x, 1); }

Variable fit_gradient(const Variable& gradient, const Variable& x) {
  const Variable fitted = fit_gradient_dtype(gradient, x);
  if (!may_be_broadcast(x, gradient)) return fitted;
  return x.ndim() == 0 ? sum(fitted) : unbroadcast(fitted, shape_of(x), x.ndim());
}

Variable fit_gradient_dtype(const Variable& gradient, const Variable& x) {
  const bool drops_imaginary = is_complex(gradient.dtype()) && !is_complex(x.dtype());
  return cast(drops_imaginary ? call_op("real", {gradient}) : gradient, x.dtype());
}

Variable repeat_batch(const Variable& x, const Variable& length) {
  const Variable lead = expand_dims(length, {0});
  const Variable whole =
      x.ndim() == 0 ? lead : call_op("concatenate", {lead, shape(x)}, {{"axis", std::int64_t{0}}});
  return broadcast_to(x, whole, x.ndim() + 1);
}

std::vector<Variable> align_batch(Apply& node, std::span<const Variable> inputs,
                                  const std::vector<bool>& batched) {
  int largest = 0;
  for (const Variable& input : node.inputs()) largest = std::max(largest, input.ndim());
  std::vector<Variable> aligned(inputs.begin(), inputs.end());
  for (std::size_t i = 0; i < aligned.size(); ++i) {
    const int missing = largest - node.input(static_cast<int>(i)).ndim();
    if (batched[i] && missing > 0)
      aligned[i] = expand_dims(aligned[i], axes_between(1, 1 + missing));
  }
  return aligned;
}

}  // namespace thunkvm
