// cumprod.cpp: `cumprod`, the running product along an axis, and the recurrence that its gradient
// is made of.
#include "ops/graph/conjugate.h"
#include "ops/graph/declaration.h"
#include "ops/graph/extents.h"
#include "ops/kernels/element_math.h"
#include "ops/reduction/cumulative.h"

namespace thunkvm {

namespace {

/// Complex numbers as NumPy multiplies them: C's product of infinite ones is another.
template <class T>
auto times(T a, T b) {
  if constexpr (is_complex_type<T>) {
    return multiply(a, b);
  } else {
    return a * b;
  }
}

struct RunningProduct {
  template <class T>
  static auto combine(T product, T value) {
    return times(product, value);
  }
};

Variable recurrence(const Variable& a, const Variable& b, int axis) {
  return call_op("recurrence", {a, b}, {{"axis", std::int64_t{axis}}});
}

/// One number, then `rest`, along an axis; nothing where `x`, which is one longer than `rest`, is
/// empty.
Variable prepend(std::int64_t number, const Variable& rest, const Variable& x, int axis) {
  const Variable first = broadcast_to(cast_now(weak_integer(number), rest.dtype()),
                                      shape(slice_along(x, axis, ":1")), x.ndim());
  return call_op("concatenate", {first, rest}, {{"axis", std::int64_t{axis}}});
}

/// The recurrence from the end: z[k] = terms[k] + factors[k + 1] * z[k + 1].
Variable recurrence_from_the_end(const Variable& factors, const Variable& terms, int axis) {
  const Variable before = slice_along(reversed(factors, axis), axis, ":-1");
  return reversed(recurrence(prepend(0, before, factors, axis), reversed(terms, axis), axis), axis);
}

class CumprodOp final : public CumulativeOp {
 public:
  explicit CumprodOp(const Attributes& attrs) : CumulativeOp("cumprod", attrs) {}

  ThunkCode kernel(const Apply& node) const override {
    return cumulative_kernel<RunningProduct>(node.input(0).dtype(), name(), axis_of(node));
  }

 protected:
  /// What x[k] is multiplied with in output j >= k: all before it, and x[k + 1] ... x[j]. The sum
  /// of the latter times g[j] is a recurrence from the end, so that nothing is divided by x[k],
  /// which may be zero.
  Variable gradient_along(const Variable& x, const Variable& g, int axis) const override {
    const Variable factors = conjugate(x);
    const Variable before =
        prepend(1, slice_along(along(factors, axis), axis, ":-1"), factors, axis);
    const Variable behind = recurrence_from_the_end(factors, g, axis);
    return before * behind;
  }
};

template <class T>
void run_recurrence(Activation& activation, const Operands& operands) {
  const int axis = kernel_state<CumulativeState>(operands).axis;
  const Array a = input_array(activation, operands, 0).as_contiguous();
  const Array b = input_array(activation, operands, 1).as_contiguous();
  if (!same_lengths(a.shape(), b.shape()))
    throw Error(ErrorKind::Value, "[recurrence] factors and terms differ in shape");
  const std::int64_t size = b.size();
  const Array out = output_array(activation, operands, 0, dtype_of<T>, b.shape());
  const auto [length, after] = AxisExtents(b, axis);
  const T* factor = a.data_as<T>();
  const T* term = b.data_as<T>();
  T* to = out.data_as<T>();
  using Acc = SumAcc<T>;
  along_axis(
      *activation.host, size, length, after, [&](std::int64_t i) { to[i] = term[i]; },
      [&](std::int64_t i) {
        to[i] = static_cast<T>(static_cast<Acc>(
            widen<Acc>(term[i]) + times(widen<Acc>(factor[i]), widen<Acc>(to[i - after]))));
      });
  poll_after(activation, size);
  store(activation, operands, 0, out);
}

/// y[0] = b[0]; y[k] = b[k] + a[k] * y[k - 1]. a[0] is not read.
class RecurrenceOp final : public ArrayOp {
 public:
  explicit RecurrenceOp(const Attributes& attrs)
      : ArrayOp("recurrence", attrs), axis_(static_cast<int>(attrs.get<std::int64_t>("axis"))) {}

  std::vector<Variable> call(std::span<const Variable> inputs) const override {
    expect_inputs(inputs, 2);
    const Variable &a = inputs[0], &b = inputs[1];
    if (a.ndim() != b.ndim())
      fail(ErrorKind::Value, "factors with " + std::to_string(a.ndim()) + " axes and terms with " +
                                 std::to_string(b.ndim()) + " do not belong together");
    normalize_axis(axis_, b.ndim());
    const DType dtype = common_dtype(inputs);
    if (!is_inexact(dtype)) fail(ErrorKind::Type, "is for floats and complex numbers");
    const Variable converted[] = {cast_now(a, dtype), cast_now(b, dtype)};
    return {Apply::make1(*this, converted, TensorType::of(dtype, b.static_shape()))};
  }

  std::vector<Extents> infer_shape(Apply&, std::span<const Extents> input_shapes) const override {
    return {input_shapes[1]};
  }

  ThunkCode kernel(const Apply& node) const override {
    return visit_dtype(node.input(0).dtype(), "recurrence",
                       [&]<class T>(std::type_identity<T>) -> ThunkCode {
                         return kernel_code<run_recurrence<T>>(CumulativeState{axis_});
                       });
  }

  /// The gradient of the terms is the recurrence from the end; that of a factor is what it was
  /// multiplied with times the gradient of the term behind it.
  std::vector<Variable> grad(Apply& node, std::span<const Variable> g) const override {
    if (!g[0]) return {Variable(), Variable()};
    const Variable terms = recurrence_from_the_end(conjugate(node.input(0)), g[0], axis_);
    const Variable before = slice_along(conjugate(node.output(0)), axis_, ":-1");
    const Variable factors = before * slice_along(terms, axis_, "1:");
    return {prepend(0, factors, node.input(0), axis_), terms};
  }

  std::vector<Variable> batch(Apply&, std::span<const Variable> inputs,
                              const std::vector<bool>& batched) const override {
    const auto all = batch_all(inputs, batched);
    return {recurrence(all[0], all[1], axis_ + 1)};
  }

 private:
  int axis_;
};
}  // namespace

DECLARE_OP(cumprod)
    .family("reduction")
    .expose(Exposure::Method)
    .comment("Running product of the elements along an axis.")
    .input("x", "any numeric tensor")
    .attr("axis", AttrType::Int, "the axis to multiply along; the flattened tensor if None")
    .optional()
    .output("out", "the products so far: int64 or uint64 for integers, else the dtype of `x`")
    .example(
        ">>> x = tv.vector(\"x\")\n"
        ">>> tv.function([x], tv.cumprod(x))([1.0, 2.0, 3.0])\n"
        "array([1., 2., 6.])")
    .made_by<CumprodOp>();

DECLARE_OP(recurrence)
    .family("reduction")
    .comment(
        "The linear recurrence y[k] = b[k] + a[k] * y[k - 1] along an axis. It starts with b[0]; "
        "a[0] is not read.")
    .input("a", "the factors: floats or complex numbers")
    .input("b", "the terms, in the shape of the factors")
    .attr("axis", AttrType::Int, "the axis to go along")
    .at_least(0)
    .output("out", "the values of the recurrence, in the shape of the terms")
    .example(
        ">>> a, b = tv.vector(\"a\"), tv.vector(\"b\")\n"
        ">>> tv.function([a, b], tv.ops.recurrence(a, b, axis=0))([0.0, 2.0, 3.0], [1.0, 1.0, "
        "1.0])\n"
        "array([ 1.,  3., 10.])")
    .made_by<RecurrenceOp>();

}  // namespace thunkvm
