// cumulative.h: running reductions along an axis, or of the flattened array: `cumsum` and its kin.
#pragma once

#include "ops/kernels/stretches.h"
#include "ops/reduction/reduction.h"

#include <algorithm>

namespace thunkvm {

/// The Op of a running reduction: an attribute `axis` (Int, or None for the flattened array), and
/// outputs in the dtype that NumPy sums the input's in.
class CumulativeOp : public ArrayOp, public StatesWork {
 public:
  CumulativeOp(std::string name, const Attributes& attrs)
      : ArrayOp(std::move(name), attrs), axis_(attrs.find<std::int64_t>("axis")) {}

  std::vector<Variable> call(std::span<const Variable> inputs) const override;
  /// The shape of the input, or the number of its elements.
  std::vector<Extents> infer_shape(Apply& node,
                                   std::span<const Extents> input_shapes) const override;
  /// By `gradient_along`; without an axis, of the flattened input.
  std::vector<Variable> grad(Apply& node, std::span<const Variable> g) const override;
  std::vector<Variable> batch(Apply& node, std::span<const Variable> inputs,
                              const std::vector<bool>& batched) const override;
  /// One for each element.
  double flops(const Apply& node, OperandShapes inputs, OperandShapes) const override {
    return is_inexact(node.input(0).dtype()) ? n_elements(inputs[0]) : 0;
  }

 protected:
  /// The gradient of the running reduction of `x` along `axis`, g being that of its output.
  virtual Variable gradient_along(const Variable& x, const Variable& g, int axis) const = 0;
  /// This Op along an axis.
  Variable along(const Variable& x, int axis) const {
    return call_op(name(), {x}, {{"axis", std::int64_t{axis}}});
  }
  /// The axis of the input; -1 for the flattened array.
  int axis_of(const Apply& node) const {
    return axis_ ? normalize_axis(*axis_, node.input(0).ndim()) : -1;
  }

 private:
  std::optional<std::int64_t> axis_;
};

/// `x` with one axis in reverse order.
Variable reversed(const Variable& x, int axis);
/// x[from:to] along an axis; the texts are those of a Python slice.
Variable slice_along(const Variable& x, int axis, const std::string& slice);

struct CumulativeState {
  int axis;  ///< -1: the flattened array
};

/// An array's axes around one of them: (before, length, after).
struct AxisExtents {
  std::int64_t length = 1;
  std::int64_t after = 1;

  AxisExtents(const Array& x, int axis) {
    length = axis < 0 ? x.size() : x.length(axis);
    for (int i = axis + 1; axis >= 0 && i < x.ndim(); ++i) after *= x.length(i);
  }
};

/// Calls `first(i)` for the first elements along an axis and `next(i)` for all others, in the order
/// in which they lie; the host may end it. Throws Error(Interrupted).
template <class First, class Next>
void along_axis(Host& host, std::int64_t size, std::int64_t length, std::int64_t after,
                First&& first, Next&& next) {
  const std::int64_t block = length * after;
  in_stretches(host, size, 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end;) {
      const std::int64_t start = i - i % block;
      for (const std::int64_t stop = std::min(end, start + after); i < stop; ++i) first(i);
      for (const std::int64_t stop = std::min(end, start + block); i < stop; ++i) next(i);
    }
  });
}

/// The kernel: `Rule::combine(result so far, next element)` from each element to the next.
template <class Rule, class T>
void run_cumulative(Activation& activation, const Operands& operands) {
  using Out = SumOut<T>;
  using Acc = SumAcc<T>;
  const int axis = kernel_state<CumulativeState>(operands).axis;
  const Array x = input_array(activation, operands, 0).as_contiguous();
  const std::int64_t size = x.size();
  const Array out =
      output_array(activation, operands, 0, dtype_of<Out>, axis < 0 ? Dims(&size, 1) : x.shape());
  const auto [length, after] = AxisExtents(x, axis);
  const T* from = x.data_as<T>();
  Out* to = out.data_as<Out>();
  along_axis(
      *activation.host, size, length, after,
      [&](std::int64_t i) { to[i] = static_cast<Out>(widen<Acc>(from[i])); },
      [&](std::int64_t i) {
        to[i] = static_cast<Out>(static_cast<Acc>(
            Rule::combine(widen<SumAcc<Out>>(to[i - after]), widen<Acc>(from[i]))));
      });
  poll_after(activation, size);
  store(activation, operands, 0, out);
}

template <class Rule>
ThunkCode cumulative_kernel(DType dtype, const std::string& name, int axis) {
  return visit_dtype(dtype, name.c_str(), [&]<class T>(std::type_identity<T>) {
    return kernel_code<run_cumulative<Rule, T>>(CumulativeState{axis});
  });
}

}  // namespace thunkvm
