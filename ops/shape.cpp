// shape.cpp: `shape` and `size`, the lengths of an array as values.
#include "ops/arrangement.h"

#include <algorithm>

namespace thunkvm {

namespace {

void run_shape(Activation& activation, const Operands& operands) {
  const Cell& x = activation.input(operands, 0);
  const std::int64_t ndim = x.is_array() ? x.body()->ndim : 0;
  const Array out = output_array(activation, operands, 0, DType::Int64, Dims(&ndim, 1));
  if (ndim > 0) std::copy_n(x.body()->dims, ndim, out.data_as<std::int64_t>());
  store(activation, operands, 0, out);
}

class ShapeOp final : public ArrayOp {
 public:
  explicit ShapeOp(const Attributes& attrs) : ArrayOp("shape", attrs) {}

  /// A constant where all lengths are known: nobody has to compute `x` for it.
  std::vector<Variable> call(std::span<const Variable> inputs) const override {
    expect_inputs(inputs, 1);
    const StaticShape& lengths = inputs[0].static_shape();
    if (std::none_of(lengths.begin(), lengths.end(), [](std::int64_t n) { return n < 0; }))
      return {constant_vector(lengths)};
    const StaticShape type{static_cast<std::int64_t>(lengths.size())};
    return {Apply::make1(*this, inputs, TensorType::of(DType::Int64, type))};
  }

  ThunkCode kernel(const Apply&) const override { return kernel_code<run_shape>(0); }

  const Arrangement* arrangement(const Apply&) const override {
    static const Arrangement lengths{.kind = Arrangement::Kind::Lengths};
    return &lengths;
  }

  std::vector<Variable> grad(Apply&, std::span<const Variable>) const override {
    return {Variable()};
  }

  std::vector<Variable> batch(Apply&, std::span<const Variable> inputs,
                              const std::vector<bool>&) const override {
    const Variable lengths = shape(inputs[0]);
    return {repeat_batch(subtensor(lengths, {"1:"}), batch_length(inputs[0]))};
  }
};

void run_size(Activation& activation, const Operands& operands) {
  const Cell& x = activation.input(operands, 0);
  std::int64_t size = 1;
  for (int axis = 0; x.is_array() && axis < x.body()->ndim; ++axis) size *= x.body()->dims[axis];
  activation.output(operands, 0).set(size);
}

class SizeOp final : public ArrayOp {
 public:
  explicit SizeOp(const Attributes& attrs) : ArrayOp("size", attrs) {}

  std::vector<Variable> call(std::span<const Variable> inputs) const override {
    expect_inputs(inputs, 1);
    std::int64_t size = 1;
    for (std::int64_t length : inputs[0].static_shape())
      size = length < 0 || size < 0 ? kUnknownLength : size * length;
    if (size >= 0) return {Variable::number(size)};
    return {Apply::make1(*this, inputs, TensorType::scalar(DType::Int64))};
  }

  ThunkCode kernel(const Apply&) const override { return kernel_code<run_size>(0); }

  std::vector<Variable> grad(Apply&, std::span<const Variable>) const override {
    return {Variable()};
  }

  std::vector<Variable> batch(Apply& node, std::span<const Variable> inputs,
                              const std::vector<bool>&) const override {
    std::vector<int> axes;
    for (int axis = 1; axis <= node.input(0).ndim(); ++axis) axes.push_back(axis);
    return {repeat_batch(count_along(inputs[0], axes), batch_length(inputs[0]))};
  }
};

class ShapeMaker : public OpMaker {
 public:
  explicit ShapeMaker(OpProto& proto) : OpMaker(proto) {
    family("shape");
    comment("The lengths of the axes. A constant, which demands nothing, where they are known.");
    input("x", "any numeric tensor");
    output("an int64 vector with a length for each axis");
    example(
        ">>> x = tv.matrix(\"x\")\n"
        ">>> tv.function([x], tv.ops.shape(x))(np.zeros((2, 3)))\n"
        "array([2, 3])");
  }
};

class SizeMaker : public OpMaker {
 public:
  explicit SizeMaker(OpProto& proto) : OpMaker(proto) {
    family("shape");
    comment("The number of elements. A constant, which demands nothing, where it is known.");
    input("x", "any numeric tensor");
    output("a 0-d int64");
    example(
        ">>> x = tv.matrix(\"x\")\n"
        ">>> tv.function([x], tv.ops.size(x))(np.zeros((2, 3)))\n"
        "np.int64(6)");
  }
};

}  // namespace

REGISTER_OP(ShapeOp, ShapeMaker, shape)
REGISTER_OP(SizeOp, SizeMaker, size)

}  // namespace thunkvm
