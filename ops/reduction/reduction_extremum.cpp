// reduction_extremum.cpp: `max`, `min`, `argmax`, `argmin`. NaN is larger and smaller than
// everything, as NumPy has it; complex numbers are ordered by their real parts, then by their
// imaginary parts.
#include "ops/graph/extents.h"
#include "ops/kernels/gathered_blocks.h"
#include "ops/kernels/stretches.h"
#include "ops/reduction/reduction.h"

#include <algorithm>
#include <limits>

namespace thunkvm {

namespace {

template <class T>
bool is_nan(T value) {
  if constexpr (std::is_same_v<T, Half>)
    return (value.bits & 0x7fff) > 0x7c00;
  else
    return value != value;
}

template <class T>
bool less(T a, T b) {
  if constexpr (std::is_same_v<T, Half>)
    return static_cast<float>(a) < static_cast<float>(b);
  else if constexpr (std::is_same_v<T, Complex64> || std::is_same_v<T, Complex128>)
    return a.real() < b.real() || (a.real() == b.real() && a.imag() < b.imag());
  else
    return a < b;
}

/// True if `x` takes the place of `best`: it is beyond it, or the first NaN.
template <class T, bool kLargest>
bool beats(T x, T best) {
  if constexpr (!std::is_integral_v<T>) {
    if (is_nan(best)) return false;
    if (is_nan(x)) return true;
  }
  return kLargest ? less(best, x) : less(x, best);
}

template <class T, bool kLargest>
struct ExtremumReducer {
  using In = T;
  using Acc = T;
  static constexpr int kLanes = std::is_arithmetic_v<T> ? kReductionLanes : 1;
  static constexpr bool kTree = false;
  /// The value that every other one beats or equals.
  static Acc identity() {
    if constexpr (std::is_same_v<T, Half>)
      return Half(kLargest ? -kInfinity : kInfinity);
    else if constexpr (std::is_floating_point_v<T>)
      return T(kLargest ? -kInfinity : kInfinity);
    else if constexpr (std::is_integral_v<T>)
      return kLargest ? std::numeric_limits<T>::min() : std::numeric_limits<T>::max();
    else
      return kLargest ? T(-kInfinity, -kInfinity) : T(kInfinity, kInfinity);
  }
  static constexpr ReductionStep kStep = kLargest ? ReductionStep::Max : ReductionStep::Min;
  static Acc step(Acc a, In x) {
    if constexpr (std::is_floating_point_v<T>)
      return (kLargest ? x > a : x < a) || x != x ? x : a;
    else
      return beats<T, kLargest>(x, a) ? x : a;
  }
  static Acc merge(Acc a, Acc b) { return step(a, b); }
  /// Several NaN, or 0 and -0, are told apart: the first one is the result.
  static bool same_in_any_order(Acc a)
    requires std::is_arithmetic_v<T>
  {
    return std::is_integral_v<T> || (a == a && a != T(0));
  }

 private:
  static constexpr float kInfinity = std::numeric_limits<float>::infinity();
};

template <bool kLargest>
struct Extremum {
  template <class T>
  struct Of {
    using Reducer = ExtremumReducer<T, kLargest>;
    using Out = T;
    static constexpr const char* kNothing =
        kLargest ? "[max] zero-size array to reduction operation maximum which has no identity: "
                   "give it at least one element along the reduced axes"
                 : "[min] zero-size array to reduction operation minimum which has no identity: "
                   "give it at least one element along the reduced axes";
    static T finish(T best, std::int64_t) { return best; }
  };
};

template <bool kLargest>
class ExtremumOp final : public OnePassReductionOp<Extremum<kLargest>::template Of> {
  using Base = OnePassReductionOp<Extremum<kLargest>::template Of>;

 public:
  explicit ExtremumOp(const Attributes& attrs) : Base(kLargest ? "max" : "min", attrs) {}

  /// Elements that share the extremum share the gradient evenly.
  std::vector<Variable> grad(Apply& node, std::span<const Variable> g) const override {
    const Variable& x = node.input(0);
    if (!g[0] || !is_inexact(x.dtype())) return {Variable()};
    const Variable best = this->with_axes(node.output(0), x.ndim());
    // A NaN is the extremum, and is not equal to it.
    const Variable is_best =
        call_op("logical_or", {call_op("eq", {x, best}), call_op("neq", {x, x})});
    Axes axes = shift_axes(this->reduced_axes(x.ndim()), 0);
    const Variable hits = sum(cast(is_best, x.dtype()), axes, true);
    const Variable share = true_div(this->with_axes(g[0], x.ndim()), hits);
    return {where(is_best, share, weak_number(0.0))};
  }

 protected:
  DType result_dtype(DType dtype) const override { return dtype; }
};

struct ArgState {
  int axis;  ///< -1: the flattened array
  bool keepdims;
};

/// The position of the extremum of `n` elements; the first one if there are several. A block of
/// neighbours whose extremum does not beat the best so far is not looked into.
template <class T, bool kLargest>
std::int64_t first_extremum(const char* x, std::int64_t stride, std::int64_t n) {
  std::int64_t position = 0;
  T best = *reinterpret_cast<const T*>(x);
  const bool dense = std::is_arithmetic_v<T> && stride == static_cast<std::int64_t>(sizeof(T));
  for (std::int64_t start = 0; start < n; start += kReductionBlock) {
    const std::int64_t end = std::min<std::int64_t>(start + kReductionBlock, n);
    if (dense) {
      const T* block = reinterpret_cast<const T*>(x) + start;
      const T found =
          reduce_block<ExtremumReducer<T, kLargest>>(block, static_cast<int>(end - start));
      if (!beats<T, kLargest>(found, best)) continue;
    }
    for (std::int64_t i = start; i < end; ++i) {
      const T value = *reinterpret_cast<const T*>(x + i * stride);
      if (!beats<T, kLargest>(value, best)) continue;
      best = value;
      position = i;
    }
  }
  return position;
}

template <class T, bool kLargest>
void run_arg_extremum(Activation& activation, const Operands& operands) {
  const ArgState& state = kernel_state<ArgState>(operands);
  Array x = input_array(activation, operands, 0);
  std::vector<std::int64_t> shape;
  std::vector<Axis> kept;
  std::int64_t length = 0, stride = sizeof(T);
  if (state.axis < 0) {
    x = x.as_contiguous();
    length = x.size();
    if (state.keepdims) shape.assign(static_cast<std::size_t>(x.ndim()), 1);
  } else {
    for (int axis = 0; axis < x.ndim(); ++axis) {
      if (axis == state.axis) {
        length = x.length(axis);
        stride = x.stride(axis);
        if (state.keepdims) shape.push_back(1);
      } else {
        kept.push_back({x.length(axis), x.stride(axis)});
        shape.push_back(x.length(axis));
      }
    }
  }
  if (length == 0)
    throw Error(ErrorKind::Value,
                std::string(kLargest ? "[argmax] attempt to get argmax"
                                     : "[argmin] attempt to get argmin") +
                    " of an empty sequence: give it at least one element along the axis");
  const Array out = output_array(activation, operands, 0, DType::Int64, shape);
  std::int64_t* result = out.data_as<std::int64_t>();
  Position sequence;
  sequence.begin(kept);
  in_stretches(*activation.host, out.size(), length, [&](std::int64_t begin, std::int64_t end) {
    for (; begin < end; ++begin, sequence.advance(1))
      *result++ = first_extremum<T, kLargest>(x.data() + sequence.distance(), stride, length);
  });
  poll_after(activation, x.size());
  store(activation, operands, 0, out);
}

template <bool kLargest>
class ArgExtremumOp final : public ArrayOp {
 public:
  explicit ArgExtremumOp(const Attributes& attrs)
      : ArrayOp(kLargest ? "argmax" : "argmin", attrs) {}

  std::vector<Variable> call(std::span<const Variable> inputs) const override {
    expect_inputs(inputs, 1);
    const int ndim = inputs[0].ndim();
    const ArgState state = arg_state(ndim);
    StaticShape shape;
    for (int axis = 0; axis < ndim; ++axis) {
      const bool reduced = state.axis < 0 || axis == state.axis;
      if (!reduced)
        shape.push_back(inputs[0].static_shape()[static_cast<std::size_t>(axis)]);
      else if (state.keepdims)
        shape.push_back(1);
    }
    return {Apply::make1(*this, inputs, TensorType::of(DType::Int64, shape))};
  }

  ThunkCode kernel(const Apply& node) const override {
    return visit_dtype(node.input(0).dtype(), name(), [&]<class T>(std::type_identity<T>) {
      return kernel_code<run_arg_extremum<T, kLargest>>(arg_state(node.input(0).ndim()));
    });
  }

  std::vector<Extents> infer_shape(Apply&, std::span<const Extents> input_shapes) const override {
    const ArgState state = arg_state(static_cast<int>(input_shapes[0].size()));
    Extents kept;
    for (std::size_t axis = 0; axis < input_shapes[0].size(); ++axis) {
      if (state.axis >= 0 && static_cast<int>(axis) != state.axis)
        kept.push_back(input_shapes[0][axis]);
      else if (state.keepdims)
        kept.push_back(extent(1));
    }
    return {kept};
  }

  std::vector<Variable> grad(Apply&, std::span<const Variable>) const override {
    return {Variable()};
  }

  std::vector<Variable> batch(Apply& node, std::span<const Variable> inputs,
                              const std::vector<bool>&) const override {
    const int ndim = node.input(0).ndim();
    const ArgState state = arg_state(ndim);
    Attributes attrs = attributes();
    if (state.axis >= 0) {
      attrs.set("axis", std::int64_t{state.axis + 1});
      return {call_op(name(), {inputs[0]}, attrs)};
    }
    const Variable& x = inputs[0];
    std::vector<int> axes;
    for (int axis = 1; axis <= ndim; ++axis) axes.push_back(axis);
    const Variable rows = prepend_length(length_of(x, 0), expand_dims(count_along(x, axes), {0}));
    attrs.set("axis", std::int64_t{1});
    attrs.set("keepdims", false);
    Variable positions = call_op(name(), {reshape(x, rows, 2)}, attrs);
    if (state.keepdims && ndim > 0) positions = expand_dims(positions, axis_range(1, ndim + 1));
    return {positions};
  }

 private:
  ArgState arg_state(int ndim) const {
    const auto axis = attributes().find<std::int64_t>("axis");
    return {axis ? normalize_axis(*axis, ndim) : -1, attributes().get<bool>("keepdims")};
  }
};

void may_have_none(Declaration& d) {
  d.attr("or_identity", AttrType::Bool,
         "of no elements have what every element would take the place of, an infinity where the "
         "dtype has one, in place of a ValueError")
      .by_default(false);
}

void searches(Declaration& d) {
  d.family("reduction")
      .input("x", "any numeric tensor")
      .attr("axis", AttrType::Int, "the axis to search along; the flattened tensor if None")
      .optional()
      .attr("keepdims", AttrType::Bool, "keep the searched axes with length 1")
      .by_default(false)
      .output("out", "the positions, int64");
}

}  // namespace

DECLARE_OP(max)
    .comment(
        "Largest element over the given axes; NaN where one is NaN. Elements that "
        "share it share the gradient evenly.")
    .with(reduces)
    .with(may_have_none)
    .output("out", "the maxima")
    .example(
        ">>> x = tv.matrix(\"x\")\n"
        ">>> tv.function([x], tv.max(x, axis=[1]))([[1.0, 2.0], [4.0, 3.0]])\n"
        "array([2., 4.])")
    .made_by<ExtremumOp<true>>();

DECLARE_OP(min)
    .comment(
        "Smallest element over the given axes; NaN where one is NaN. Elements that "
        "share it share the gradient evenly.")
    .with(reduces)
    .with(may_have_none)
    .output("out", "the minima")
    .example(
        ">>> x = tv.matrix(\"x\")\n"
        ">>> tv.function([x], tv.min(x, axis=[1]))([[1.0, 2.0], [4.0, 3.0]])\n"
        "array([1., 3.])")
    .made_by<ExtremumOp<false>>();

DECLARE_OP(argmax)
    .comment("Position of the first largest element along an axis, or of the first NaN.")
    .with(searches)
    .example(
        ">>> x = tv.vector(\"x\")\n"
        ">>> tv.function([x], tv.argmax(x))([1.0, 5.0, 5.0])\n"
        "np.int64(1)")
    .made_by<ArgExtremumOp<true>>();

DECLARE_OP(argmin)
    .comment("Position of the first smallest element along an axis, or of the first NaN.")
    .with(searches)
    .example(
        ">>> x = tv.vector(\"x\")\n"
        ">>> tv.function([x], tv.argmin(x))([4.0, 2.0, 2.0])\n"
        "np.int64(1)")
    .made_by<ArgExtremumOp<false>>();

}  // namespace thunkvm
