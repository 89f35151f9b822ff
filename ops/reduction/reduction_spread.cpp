// reduction_spread.cpp: `var` and `std`, in two passes: the means first, then the squares of what
// is left.
#include "ops/reduction/reduction.h"

#include <algorithm>
#include <cmath>
#include <limits>

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

/// The variance of one sequence. The squares go through a block of memory, so that both sums have
/// the order of `sum`.
template <class T>
SquareType<T> variance(const char* first, const ReductionAxes& reduced, double ddof) {
  using Square = SquareType<T>;
  const auto mean =
      mean_of(reduce_along<SumReducer<T, DeviationType<T>>>(first, reduced), reduced.count);
  SequenceAccumulator<SumReducer<Square>> squares;
  Square block[kReductionBlock];
  int filled = 0;
  reduced.each_run([&](std::int64_t offset) {
    for (std::int64_t i = 0; i < reduced.inner_length(); ++i) {
      const char* x = first + offset + i * reduced.inner_stride();
      block[filled++] = squared_deviation<T>(*reinterpret_cast<const T*>(x), mean);
      if (filled < kReductionBlock) continue;
      squares.add_block(block, kReductionBlock);
      filled = 0;
    }
  });
  if (filled > 0) squares.add_block(block, filled);
  const auto freedom =
      static_cast<Square>(std::max(static_cast<double>(reduced.count) - ddof, 0.0));
  return (squares.total() + Square(0)) / freedom;
}

template <class T, bool kRoot>
void run_spread(Activation& activation, const Operands& operands) {
  using Out = SpreadOut<T>;
  const ReductionState& state = kernel_state<ReductionState>(operands);
  const CellMemory x(activation.input(operands, 0));
  ReductionAxes kept, reduced;
  std::vector<std::int64_t> shape;
  for (std::size_t axis = 0; axis < x.shape.size(); ++axis) {
    (state.reduced[axis] ? reduced : kept).append(x.shape[axis], x.strides[axis]);
    if (!state.reduced[axis])
      shape.push_back(x.shape[axis]);
    else if (state.keepdims)
      shape.push_back(1);
  }
  const Array out = output_array(activation, operands, 0, dtype_of<Out>, shape);
  const std::int64_t work = kept.count * reduced.count;
  {
    HostLeave leave(*activation.host, work);
    Out* result = out.data_as<Out>();
    kept.each_run([&](std::int64_t offset) {
      for (std::int64_t i = 0; i < kept.inner_length(); ++i) {
        const auto value =
            variance<T>(x.data + offset + i * kept.inner_stride(), reduced, state.ddof);
        *result++ = static_cast<Out>(kRoot ? std::sqrt(value) : value);
      }
    });
  }
  poll_after(activation, work);
  store(activation, operands, 0, out);
}

template <bool kRoot>
class SpreadOp final : public ReductionOp {
 public:
  explicit SpreadOp(const Attributes& attrs)
      : ReductionOp(kRoot ? "std" : "var", attrs), ddof_(attrs.get<double>("ddof")) {}

  ThunkCode kernel(const Apply& node) const override {
    ReductionState spread_state = state(node.input(0).ndim());
    spread_state.ddof = ddof_;
    return visit_dtype(node.input(0).dtype(), name(), [&]<class T>(std::type_identity<T>) {
      return kernel_code<run_spread<T, kRoot>>(spread_state);
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
    if (kRoot)
      scale = true_div(scale, with_axes(node.output(0), x.ndim()));
    else
      scale = mul(scale, cast(Variable::number(2.0), x.dtype()));
    return {mul(sub(x, mean), scale)};
  }

 protected:
  DType result_dtype(DType dtype) const override { return real_dtype(mean_dtype(dtype)); }

 private:
  double ddof_;
};

class SpreadMaker : public ReductionMaker {
 public:
  SpreadMaker(OpProto& proto, const char* summary, const char* result)
      : ReductionMaker(proto, summary, result) {
    attr("ddof", AttrType::Float, "the divisor is the number of elements less this")
        .by_default(0.0);
  }
};

class VarMaker : public SpreadMaker {
 public:
  explicit VarMaker(OpProto& proto)
      : SpreadMaker(proto,
                    "Mean of the squared deviations from the mean over the given axes, in two "
                    "passes (T. F. Chan, G. H. Golub, R. J. LeVeque, Algorithms for computing the "
                    "sample variance, Amer. Statist. 37, 1983).",
                    "the variances: float64 for integers, real for complex numbers") {
    example(
        ">>> x = tv.vector(\"x\")\n"
        ">>> tv.function([x], tv.var(x, ddof=1))([1.0, 2.0, 3.0])\n"
        "np.float64(1.0)");
  }
};

class StdMaker : public SpreadMaker {
 public:
  explicit StdMaker(OpProto& proto)
      : SpreadMaker(proto, "Standard deviation over the given axes: the square root of `var`.",
                    "the deviations: float64 for integers, real for complex numbers") {
    example(
        ">>> x = tv.vector(\"x\")\n"
        ">>> tv.function([x], tv.std(x))([1.0, 3.0])\n"
        "np.float64(1.0)");
  }
};

}  // namespace

REGISTER_OP(SpreadOp<false>, VarMaker, var)
REGISTER_OP(SpreadOp<true>, StdMaker, std)

}  // namespace thunkvm
