// reduction_spread.cpp: `var` and `std`, in two passes: the means first, then the squares of what
// is left.
#include "ops/kernels/nest_execution.h"
#include "ops/reduction/reduction.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace thunkvm {

namespace {

/// The type in which T's mean and deviations are computed, and the real type of their squares.
template <class T>
using DeviationType = std::conditional_t<std::is_integral_v<T>, double, SumAcc<T>>;
template <class T>
struct RealOf {
  using type = T;
};
template <class T>
struct RealOf<std::complex<T>> {
  using type = T;
};
template <class T>
using SquareType = typename RealOf<DeviationType<T>>::type;
template <class T>
using SpreadOut = std::conditional_t<std::is_same_v<T, Half>, Half, SquareType<T>>;

template <class Deviation>
auto mean_of(Deviation total, std::int64_t n) {
  if constexpr (std::is_floating_point_v<Deviation>) {
    return total / static_cast<Deviation>(n);
  } else {
    const auto count = static_cast<typename Deviation::value_type>(n);
    return Deviation(total.real() / count, total.imag() / count);
  }
}

template <class T>
SquareType<T> squared_deviation(T x, DeviationType<T> mean) {
  const DeviationType<T> d = widen<DeviationType<T>>(x) - mean;
  if constexpr (std::is_floating_point_v<DeviationType<T>>)
    return d * d;
  else
    return d.real() * d.real() + d.imag() * d.imag();
}

template <class T>
struct MeanOf {
  using Reducer = SumReducer<T, DeviationType<T>>;
  using Out = DeviationType<T>;
  static constexpr const char* kNothing = nullptr;
  static Out finish(Out total, std::int64_t count) { return mean_of(total, count); }
};
template <class T>
struct SumOfSquares {
  using Reducer = SumReducer<SquareType<T>>;
  using Out = SquareType<T>;
  static constexpr const char* kNothing = nullptr;
  static Out finish(Out total, std::int64_t) { return total; }
};

/// An element nest: the squares of what elements differ from their means by. Along a reduced axis
/// the mean is one, across it they are side by side.
template <class T>
void square_deviations(char* const* pointers, const std::int64_t* strides, std::int64_t n) {
  using Mean = DeviationType<T>;
  using Square = SquareType<T>;
  const auto square = [&](std::int64_t x_stride, std::int64_t mean_stride) {
    Square* const squares = reinterpret_cast<Square*>(pointers[2]);
#pragma GCC ivdep
    for (std::int64_t i = 0; i < n; ++i)
      squares[i] =
          squared_deviation<T>(*reinterpret_cast<const T*>(pointers[0] + i * x_stride),
                               *reinterpret_cast<const Mean*>(pointers[1] + i * mean_stride));
  };
  constexpr std::int64_t kDense = sizeof(T), kMeans = sizeof(Mean);
  if (strides[0] == kDense && strides[1] == 0)
    square(kDense, 0);
  else if (strides[0] == kDense && strides[1] == kMeans)
    square(kDense, kMeans);
  else
    square(strides[0], strides[1]);
}

/// Two nests: one for the means, one for the squares, which both add in the order of `sum`.
struct SpreadState {
  Nest means, squares;
  bool keepdims;
  double ddof;
};

template <class T>
SpreadState spread_state(int ndim, AxisSet reduced, bool keepdims, double ddof) {
  constexpr std::int64_t kItem = sizeof(T), kMean = sizeof(DeviationType<T>),
                         kSquare = sizeof(SquareType<T>);
  Nest means;
  means.ndim = ndim;
  means.reduced = reduced;
  Nest squares = means;
  means.n_inputs = 1;
  means.item_sizes = {kItem, kItem};
  means.reductions = {{&BlockReductionOf<MeanOf<T>>::kReduction, 0}};
  squares.n_inputs = 2;
  squares.item_sizes = {kItem, kMean, kSquare};
  squares.element_functions = {&square_deviations<T>};
  squares.reductions = {{&BlockReductionOf<SumOfSquares<T>>::kReduction, 2}};
  return {std::move(means), std::move(squares), keepdims, ddof};
}

/// The sums of squares, in C order; there are elements.
template <class T>
Array sums_of_squares(const SpreadState& state, const Layout& x, Dims kept_as_ones, Host& host) {
  const Array means = Array::allocate(dtype_of<DeviationType<T>>, kept_as_ones);
  const Array sums = Array::allocate(dtype_of<SquareType<T>>, kept_as_ones);
  char* const to_means = means.data();
  char* const to_sums = sums.data();
  execute_once(state.means, {x.shape(), state.means.reduced}, {&x, 1}, {}, {&to_means, 1}, host);
  const std::array<Layout, 2> inputs = {x, Layout::of(*means.body())};
  execute_once(state.squares, {x.shape(), state.squares.reduced}, inputs, {}, {&to_sums, 1}, host);
  return sums;
}

template <class T, bool kRoot>
void run_spread(Activation& activation, const Operands& operands) {
  using Out = SpreadOut<T>;
  using Square = SquareType<T>;
  const auto& state = kernel_state<SpreadState>(operands);
  const Layout x = Layout::of(activation.input(operands, 0));
  std::vector<std::int64_t> kept_as_ones, shape;
  std::int64_t count = 1;
  for (int axis = 0; axis < x.ndim; ++axis) {
    const bool reduced = has_axis(state.means.reduced, static_cast<std::size_t>(axis));
    kept_as_ones.push_back(reduced ? 1 : x.lengths[axis]);
    if (!reduced || state.keepdims) shape.push_back(kept_as_ones.back());
    if (reduced) count *= x.lengths[axis];
  }
  const Array out = output_array(activation, operands, 0, dtype_of<Out>, shape);
  const std::int64_t n = out.size();
  Array sums;
  if (n * count != 0) sums = sums_of_squares<T>(state, x, kept_as_ones, *activation.host);
  const auto freedom = static_cast<Square>(std::max(static_cast<double>(count) - state.ddof, 0.0));
  Out* const results = out.data_as<Out>();
  for (std::int64_t i = 0; i < n; ++i) {
    const Square spread = (sums ? sums.data_as<Square>()[i] + Square(0) : Square(0)) / freedom;
    results[i] = static_cast<Out>(kRoot ? std::sqrt(spread) : spread);
  }
  poll_after(activation, n * count);
  store(activation, operands, 0, out);
}

template <bool kRoot>
class SpreadOp final : public ReductionOp {
 public:
  explicit SpreadOp(const Attributes& attrs)
      : ReductionOp(kRoot ? "std" : "var", attrs), ddof_(attrs.get<double>("ddof")) {}

  ThunkCode kernel(const Apply& node) const override {
    const int ndim = node.input(0).ndim();
    return visit_dtype(node.input(0).dtype(), name(), [&]<class T>(std::type_identity<T>) {
      return kernel_code<run_spread<T, kRoot>>(
          spread_state<T>(ndim, axis_set(ndim), keepdims(), ddof_));
    });
  }

  /// A sum for the mean, and of each element a difference, its square and their sum.
  double flops(const Apply& node, OperandShapes inputs, OperandShapes outputs) const override {
    return 4 * ReductionOp::flops(node, inputs, outputs);
  }

  std::vector<Variable> grad(Apply& node, std::span<const Variable> g) const override {
    const Variable& x = node.input(0);
    if (!g[0] || !is_inexact(x.dtype())) return {Variable()};
    const Axes axes = shift_axes(reduced_axes(x.ndim()), 0);
    const Variable mean = call_op("mean", {x}, reduction_attributes(&axes, true));
    const Variable freedom = cast(count(x, DType::Float64) - ddof_, x.dtype());
    Variable scale = true_div(with_axes(g[0], x.ndim()), freedom);
    if (kRoot) {
      // Of equal values the subgradient is 0, as all differences from the mean are.
      const Variable& root = node.output(0);
      const Variable divisor =
          call_op("where", {call_op("eq", {root, weak_number(0.0)}), weak_number(1.0), root});
      scale = true_div(scale, with_axes(divisor, x.ndim()));
    } else {
      scale = mul(scale, cast(Variable::number(2.0), x.dtype()));
    }
    return {mul(sub(x, mean), scale)};
  }

 protected:
  DType result_dtype(DType dtype) const override { return real_dtype(mean_dtype(dtype)); }

 private:
  double ddof_;
};

void has_ddof(Declaration& d) {
  d.attr("ddof", AttrType::Float, "the divisor is the number of elements less this")
      .by_default(0.0);
}

}  // namespace

DECLARE_OP(var)
    .comment(
        "Mean of the squared deviations from the mean over the given axes, in two "
        "passes (T. F. Chan, G. H. Golub, R. J. LeVeque, Algorithms for computing the "
        "sample variance, Amer. Statist. 37, 1983).")
    .with(reduces)
    .with(has_ddof)
    .output("out", "the variances: float64 for integers, real for complex numbers")
    .example(
        ">>> x = tv.vector(\"x\")\n"
        ">>> tv.function([x], tv.var(x, ddof=1))([1.0, 2.0, 3.0])\n"
        "np.float64(1.0)")
    .made_by<SpreadOp<false>>();

DECLARE_OP(std)
    .comment("Standard deviation over the given axes: the square root of `var`.")
    .with(reduces)
    .with(has_ddof)
    .output("out", "the deviations: float64 for integers, real for complex numbers")
    .example(
        ">>> x = tv.vector(\"x\")\n"
        ">>> tv.function([x], tv.std(x))([1.0, 3.0])\n"
        "np.float64(1.0)")
    .made_by<SpreadOp<true>>();

}  // namespace thunkvm
