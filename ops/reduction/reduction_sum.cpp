// reduction_sum.cpp: `sum`, `mean`, `prod` and `prod_of_others`, which the gradient of prod is made
// of.
#include "ops/graph/conjugate.h"
#include "ops/kernels/element_math.h"
#include "ops/reduction/reduction.h"

namespace thunkvm {

namespace {

template <class T>
using Sum = SumAs<T, SumOut<T>>;

template <class T>
struct Mean {
  using Acc = std::conditional_t<std::is_integral_v<T>, double, SumAcc<T>>;
  using Reducer = SumReducer<T, Acc>;
  using Out = std::conditional_t<std::is_integral_v<T>, double, T>;
  static constexpr const char* kNothing = nullptr;
  static Out finish(Acc total, std::int64_t n) {
    if constexpr (std::is_floating_point_v<Acc>) {
      return static_cast<Out>((total + Acc(0)) / static_cast<Acc>(n));
    } else {
      return divide(total, Acc(static_cast<typename Acc::value_type>(n)));
    }
  }
};

template <class T>
T product(T a, T b) {
  if constexpr (is_complex_type<T>)
    return multiply(a, b);
  else
    return a * b;
}

/// Products are taken strictly in order, so that they overflow where NumPy's do.
template <class T>
struct ProdReducer {
  using In = T;
  using Acc = SumAcc<T>;
  static constexpr int kLanes = 1;
  static constexpr bool kTree = false;
  static Acc identity() { return Acc(1); }
  static Acc step(Acc a, In x) { return product(a, widen<Acc>(x)); }
  static Acc merge(Acc a, Acc b) { return product(a, b); }
};

template <class T>
struct Prod {
  using Reducer = ProdReducer<T>;
  using Out = SumOut<T>;
  static constexpr const char* kNothing = nullptr;
  static Out finish(SumAcc<T> total, std::int64_t) { return static_cast<Out>(total); }
};

class SumOp final : public OnePassReductionOp<Sum> {
 public:
  explicit SumOp(const Attributes& attrs) : OnePassReductionOp("sum", attrs) {}
  Linearity linearity() const override { return Linearity::Each; }
  std::vector<Variable> grad(Apply& node, std::span<const Variable> g) const override {
    const Variable& x = node.input(0);
    if (!g[0] || !is_inexact(x.dtype())) return {Variable()};
    return {spread(g[0], x)};
  }

 protected:
  DType result_dtype(DType dtype) const override { return sum_dtype(dtype); }
};

class MeanOp final : public OnePassReductionOp<Mean> {
 public:
  explicit MeanOp(const Attributes& attrs) : OnePassReductionOp("mean", attrs) {}
  Linearity linearity() const override { return Linearity::Each; }
  std::vector<Variable> grad(Apply& node, std::span<const Variable> g) const override {
    const Variable& x = node.input(0);
    if (!g[0] || !is_inexact(x.dtype())) return {Variable()};
    return {spread(true_div(g[0], count(x, x.dtype())), x)};
  }

 protected:
  DType result_dtype(DType dtype) const override { return mean_dtype(dtype); }
};

class ProdOp final : public OnePassReductionOp<Prod> {
 public:
  explicit ProdOp(const Attributes& attrs) : OnePassReductionOp("prod", attrs) {}

  /// Never divides by an element, so that zeros are no exception.
  std::vector<Variable> grad(Apply& node, std::span<const Variable> g) const override {
    const Variable& x = node.input(0);
    if (!g[0] || !is_inexact(x.dtype())) return {Variable()};
    const AxisSet axes = axis_set(x.ndim());
    Axes order, back(static_cast<std::size_t>(x.ndim()));
    for (int pass = 0; pass < 2; ++pass)
      for (int axis = 0; axis < x.ndim(); ++axis)
        if (has_axis(axes, static_cast<std::size_t>(axis)) == (pass == 1)) order.push_back(axis);
    for (std::size_t i = 0; i < order.size(); ++i)
      back[static_cast<std::size_t>(order[i])] = static_cast<std::int64_t>(i);
    const std::vector<int> reduced = reduced_axes(x.ndim());
    const int kept = x.ndim() - static_cast<int>(reduced.size());
    // The reduced axes at the end, and flattened into one.
    const Variable moved = transpose(x, order);
    Variable flat = expand_dims(moved, {kept});
    if (reduced.size() != 0) {
      Variable lengths = count(x, DType::Int64);
      for (int axis = kept - 1; axis >= 0; --axis) {
        const Variable length = length_of(moved, axis);
        lengths = axis == kept - 1 ? call_op("stack", {length, lengths})
                                   : prepend_length(length, lengths);
      }
      flat = reshape(moved, kept == 0 ? expand_dims(lengths, {0}) : lengths, kept + 1);
    }
    const Variable others = call_op("prod_of_others", {flat});
    const Variable unflat = reshape(others, shape(moved), x.ndim());
    return {mul(spread(g[0], x), conjugate(transpose(unflat, back)))};
  }

 protected:
  DType result_dtype(DType dtype) const override { return sum_dtype(dtype); }
};

template <class T>
void run_prod_of_others(Activation& activation, const Operands& operands) {
  using Acc = SumAcc<T>;
  const Array x = input_array(activation, operands, 0).as_contiguous();
  const Array out = output_array(activation, operands, 0, dtype_of<T>, x.shape());
  const std::int64_t n = x.length(x.ndim() - 1);
  const T* from = x.data_as<T>();
  T* to = out.data_as<T>();
  std::vector<Acc> after(static_cast<std::size_t>(n) + 1, Acc(1));
  for (std::int64_t row = 0; n > 0 && row < x.size(); row += n) {
    for (std::int64_t i = n - 1; i >= 0; --i)
      after[static_cast<std::size_t>(i)] =
          product(widen<Acc>(from[row + i]), after[static_cast<std::size_t>(i) + 1]);
    Acc before(1);
    for (std::int64_t i = 0; i < n; ++i) {
      to[row + i] = static_cast<T>(product(before, after[static_cast<std::size_t>(i) + 1]));
      before = product(before, widen<Acc>(from[row + i]));
    }
  }
  poll_after(activation, x.size());
  store(activation, operands, 0, out);
}

class ProdOfOthersOp final : public ArrayOp {
 public:
  explicit ProdOfOthersOp(const Attributes& attrs) : ArrayOp("prod_of_others", attrs) {}

  std::vector<Variable> call(std::span<const Variable> inputs) const override {
    expect_inputs(inputs, 1);
    if (inputs[0].ndim() == 0 || !is_inexact(inputs[0].dtype()))
      fail(ErrorKind::Type, "x must be a float or complex tensor with at least one axis, but is " +
                                inputs[0].type().text());
    return {Apply::make1(*this, inputs, inputs[0].type_ref())};
  }

  std::vector<Extents> infer_shape(Apply&, std::span<const Extents> input_shapes) const override {
    return {input_shapes[0]};
  }

  ThunkCode kernel(const Apply& node) const override {
    return visit_dtype(node.input(0).dtype(), "prod_of_others",
                       [&]<class T>(std::type_identity<T>) -> ThunkCode {
                         if constexpr (std::is_integral_v<T>)
                           return {};
                         else
                           return kernel_code<run_prod_of_others<T>>(0);
                       });
  }

  /// The products of all but two: row i of a square has x with element i replaced by 1, so that the
  /// products of others in it lack elements i and j. Quadratic, but right with any number of zeros,
  /// at any order.
  std::vector<Variable> grad(Apply& node, std::span<const Variable> g) const override {
    if (!g[0]) return {Variable()};
    const Variable& x = node.input(0);
    const int last = x.ndim() - 1;
    const Variable n = length_of(x, last);
    const Variable diagonal =
        call_op("eye", {n, n}, {{"k", std::int64_t{0}}, {"dtype", DType::Bool}});
    const Variable rows = expand_dims(x, {last});
    const Variable square = where(diagonal, ones_like(rows), rows);
    const Variable pairs = call_op("prod_of_others", {square});
    const Variable off = where(diagonal, zeros_like(rows), pairs);
    return {sum(mul(expand_dims(g[0], {last + 1}), conjugate(off)), {last})};
  }

  std::vector<Variable> batch(Apply&, std::span<const Variable> inputs,
                              const std::vector<bool>&) const override {
    return call(inputs);
  }
};

}  // namespace

DECLARE_OP(sum)
    .comment(
        "Sum of the elements over the given axes. Floats are summed pairwise (N. J. "
        "Higham, The accuracy of floating point summation, SIAM J. Sci. Comput. 14, "
        "1993), float16 in float32; integers in 64 bits.")
    .with(reduces)
    .output("out", "the sums: int64 or uint64 for integers, else the dtype of `x`")
    .example(
        ">>> x = tv.matrix(\"x\")\n"
        ">>> tv.function([x], tv.sum(x, axis=[0]))([[1.0, 2.0], [3.0, 4.0]])\n"
        "array([4., 6.])")
    .made_by<SumOp>();

DECLARE_OP(mean)
    .comment(
        "Arithmetic mean of the elements over the given axes; NaN where there are "
        "none. Summed pairwise, like `sum`.")
    .with(reduces)
    .output("out", "the means: float64 for integers, else the dtype of `x`")
    .example(
        ">>> x = tv.vector(\"x\")\n"
        ">>> tv.function([x], tv.mean(x))([1.0, 2.0, 6.0])\n"
        "np.float64(3.0)")
    .made_by<MeanOp>();

DECLARE_OP(prod)
    .comment("Product of the elements over the given axes, taken in order.")
    .with(reduces)
    .output("out", "the products: int64 or uint64 for integers, else the dtype of `x`")
    .example(
        ">>> x = tv.vector(\"x\")\n"
        ">>> tv.function([x], tv.prod(x))([2.0, 3.0, 4.0])\n"
        "np.float64(24.0)")
    .made_by<ProdOp>();

DECLARE_OP(prod_of_others)
    .family("reduction")
    .comment(
        "For each element of the last axis, the product of all the others on it. The gradient of "
        "`prod`, exact where elements are zero.")
    .input("x", "a float or complex tensor with at least one axis")
    .output("out", "as `x`")
    .example(
        ">>> x = tv.vector(\"x\")\n"
        ">>> tv.function([x], tv.ops.prod_of_others(x))([2.0, 0.0, 4.0])\n"
        "array([0., 8., 0.])")
    .made_by<ProdOfOthersOp>();

}  // namespace thunkvm
