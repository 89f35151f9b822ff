// cumsum.cpp: `cumsum`, the running sum along an axis.
#include "ops/graph/extents.h"
#include "ops/reduction/reduction.h"

namespace thunkvm {

namespace {

struct CumsumState {
  int axis;  ///< -1: the flattened array
};

/// Along the middle axis of (before, length, after).
template <class T>
void run_cumsum(Activation& activation, const Operands& operands) {
  using Out = SumOut<T>;
  const int axis = kernel_state<CumsumState>(operands).axis;
  const Array x = input_array(activation, operands, 0).as_contiguous();
  const std::int64_t size = x.size();
  const Array out =
      output_array(activation, operands, 0, dtype_of<Out>, axis < 0 ? Dims(&size, 1) : x.shape());
  const std::int64_t length = axis < 0 ? size : x.length(axis);
  std::int64_t after = 1;
  for (int i = axis + 1; axis >= 0 && i < x.ndim(); ++i) after *= x.length(i);
  {
    HostLeave leave(*activation.host, size);
    const T* from = x.data_as<T>();
    Out* to = out.data_as<Out>();
    for (std::int64_t start = 0; start < size; start += length * after) {
      for (std::int64_t i = 0; i < length * after; ++i) {
        const auto value = widen<SumAcc<T>>(from[start + i]);
        to[start + i] = static_cast<Out>(
            i < after ? value
                      : static_cast<SumAcc<T>>(widen<SumAcc<Out>>(to[start + i - after]) + value));
      }
    }
  }
  poll_after(activation, size);
  store(activation, operands, 0, out);
}

class CumsumOp final : public ArrayOp {
 public:
  explicit CumsumOp(const Attributes& attrs)
      : ArrayOp("cumsum", attrs), axis_(attrs.find<std::int64_t>("axis")) {}

  std::vector<Variable> call(std::span<const Variable> inputs) const override {
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

  std::vector<Extents> infer_shape(Apply&, std::span<const Extents> input_shapes) const override {
    return {axis_ ? input_shapes[0] : Extents{size_of(input_shapes[0])}};
  }

  ThunkCode kernel(const Apply& node) const override {
    const CumsumState state{axis_ ? normalize_axis(*axis_, node.input(0).ndim()) : -1};
    return visit_dtype(node.input(0).dtype(), "cumsum", [&]<class T>(std::type_identity<T>) {
      return kernel_code<run_cumsum<T>>(state);
    });
  }

  /// Each element counts in all the sums from its own on: the running sum from the other end.
  std::vector<Variable> grad(Apply& node, std::span<const Variable> g) const override {
    const Variable& x = node.input(0);
    if (!g[0] || !is_inexact(x.dtype())) return {Variable()};
    const int axis = axis_ ? normalize_axis(*axis_, x.ndim()) : 0;
    std::vector<std::string> backwards(static_cast<std::size_t>(axis), ":");
    backwards.push_back("::-1");
    const Variable flipped = subtensor(g[0], backwards);
    const Variable sums =
        subtensor(call_op("cumsum", {flipped}, {{"axis", std::int64_t{axis}}}), backwards);
    return {axis_ ? sums : reshape(sums, shape(x), x.ndim())};
  }

  std::vector<Variable> batch(Apply& node, std::span<const Variable> inputs,
                              const std::vector<bool>&) const override {
    const Variable& x = node.input(0);
    if (axis_)
      return {call_op("cumsum", {inputs[0]},
                      {{"axis", std::int64_t{normalize_axis(*axis_, x.ndim()) + 1}}})};
    std::vector<int> axes;
    for (int axis = 1; axis <= x.ndim(); ++axis) axes.push_back(axis);
    const Variable rows =
        prepend_length(length_of(inputs[0], 0), expand_dims(count_along(inputs[0], axes), {0}));
    return {call_op("cumsum", {reshape(inputs[0], rows, 2)}, {{"axis", std::int64_t{1}}})};
  }

 private:
  std::optional<std::int64_t> axis_;
};

class CumsumMaker : public OpMaker {
 public:
  explicit CumsumMaker(OpProto& proto) : OpMaker(proto) {
    family("reduction");
    comment("Running sum of the elements along an axis.");
    input("x", "any numeric tensor");
    attr("axis", AttrType::Int, "the axis to sum along; the flattened tensor if None").optional();
    output("the sums so far: int64 or uint64 for integers, else the dtype of `x`");
    example(
        ">>> x = tv.vector(\"x\")\n"
        ">>> tv.function([x], tv.cumsum(x))([1.0, 2.0, 3.0])\n"
        "array([1., 3., 6.])");
  }
};

}  // namespace

REGISTER_OP(CumsumOp, CumsumMaker, cumsum)

}  // namespace thunkvm
