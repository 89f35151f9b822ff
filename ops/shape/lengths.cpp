// lengths.cpp: `broadcast_length` and `matched_length`, lengths that are compared as they meet, and
// `broadcast_shape`, the shape that arrays have together.
#include "ops/graph/connection.h"
#include "ops/graph/declaration.h"
#include "ops/graph/extent_op.h"

#include <algorithm>

namespace thunkvm {

namespace {

[[noreturn]] void fail_broadcast(const char* op, const std::string& what) {
  throw Error(ErrorKind::Value, "[" + std::string(op) +
                                    "] operands could not be broadcast together: " + what +
                                    " do not agree, and only axes of length 1 are repeated");
}

class BroadcastLengthOp final : public ExtentOp {
 public:
  explicit BroadcastLengthOp(const Attributes& attrs) : ExtentOp("broadcast_length", attrs) {}

  std::int64_t length(std::span<const std::int64_t> lengths) const override {
    std::int64_t together = 1;
    for (const std::int64_t length : lengths) {
      if (length == 1) continue;
      if (together != 1 && length != together)
        fail_broadcast("broadcast_length", "axes of lengths " + std::to_string(together) + " and " +
                                               std::to_string(length));
      together = length;
    }
    return together;
  }
};

class MatchedLengthOp final : public ExtentOp {
 public:
  explicit MatchedLengthOp(const Attributes& attrs)
      : ExtentOp("matched_length", attrs),
        axis_a_(attrs.get<std::int64_t>("axis_a")),
        axis_b_(attrs.get<std::int64_t>("axis_b")) {}

  std::int64_t length(std::span<const std::int64_t> lengths) const override {
    if (lengths[0] != lengths[1])
      throw Error(ErrorKind::Value,
                  "[tensordot] shape-mismatch for sum: axis " + std::to_string(axis_a_) +
                      " of a has length " + std::to_string(lengths[0]) + ", but axis " +
                      std::to_string(axis_b_) + " of b, which meets it, has length " +
                      std::to_string(lengths[1]));
    return lengths[0];
  }

 protected:
  void expect_count(std::size_t count) const override {
    if (count != 2) fail(ErrorKind::Type, "takes 2 integers, but got " + std::to_string(count));
  }

 private:
  std::int64_t axis_a_, axis_b_;
};

void run_broadcast_shape(Activation& activation, const Operands& operands) {
  std::array<std::int64_t, kMaxDims> lengths;
  lengths.fill(1);
  std::size_t ndim = 0;
  for (int i = 0; i < operands.n_inputs; ++i) {
    const CellMemory x(activation.input(operands, i));
    const std::size_t axes = x.shape.size();
    ndim = std::max(ndim, axes);
    for (std::size_t axis = 0; axis < axes; ++axis) {
      // Counted from the last.
      std::int64_t& together = lengths[axes - 1 - axis];
      const std::int64_t length = x.shape[axis];
      if (length == 1) continue;
      if (together != 1 && length != together) {
        std::string shapes = "the shapes";
        for (int j = 0; j < operands.n_inputs; ++j)
          shapes += " " + format_shape(CellMemory(activation.input(operands, j)).shape);
        fail_broadcast("broadcast_shape", shapes);
      }
      together = length;
    }
  }
  const auto n = static_cast<std::int64_t>(ndim);
  const Array out = output_array(activation, operands, 0, DType::Int64, Dims(&n, 1));
  std::reverse_copy(lengths.begin(), lengths.begin() + n, out.data_as<std::int64_t>());
  store(activation, operands, 0, out);
}

class BroadcastShapeOp final : public ArrayOp, public PartlyConnected, public ShapeQuery {
 public:
  explicit BroadcastShapeOp(const Attributes& attrs) : ArrayOp("broadcast_shape", attrs) {}

  std::vector<Variable> call(std::span<const Variable> inputs) const override {
    expect_inputs(inputs, 1, SIZE_MAX);
    StaticShape together;
    for (const Variable& input : inputs)
      together = broadcast_static(name(), together, input.static_shape());
    if (std::ranges::find(together, kUnknownLength) == together.end())
      return {constant_vector(together)};
    if (inputs.size() == 1) return {shape(inputs[0])};
    const StaticShape type{static_cast<std::int64_t>(together.size())};
    return {Apply::make1(*this, inputs, TensorType::of(DType::Int64, type))};
  }

  ThunkCode kernel(const Apply&) const override { return kernel_code<run_broadcast_shape>(0); }

  const ShapeQuery* shape_query() const override { return this; }
  Variable answer(Apply&, std::span<const Extents> input_shapes) const override {
    return shape_vector(broadcast_extents(input_shapes));
  }

  std::vector<Variable> grad(Apply& node, std::span<const Variable>) const override {
    return std::vector<Variable>(node.n_inputs());
  }
  bool connects(int) const override { return false; }

  std::vector<Variable> batch(Apply& node, std::span<const Variable> inputs,
                              const std::vector<bool>& batched) const override {
    const Variable lengths =
        call_op("broadcast_shape", std::span<const Variable>(align_batch(node, inputs, batched)));
    return {repeat_batch(subtensor(lengths, {"1:"}), batch_length(inputs, batched))};
  }
};

}  // namespace

DECLARE_OP(broadcast_length)
    .family("shape")
    .comment(
        "The length that axes have when they are broadcast together: all of them have it, or 1. "
        "Else it is a ValueError. The shape of an elementwise result is made of these.")
    .inputs("lengths", "0-d integers")
    .output("out", "a 0-d int64")
    .example(
        ">>> n = tv.scalar(\"n\", dtype=\"int64\")\n"
        ">>> tv.function([n], tv.ops.broadcast_length(n, 3))(1)\n"
        "np.int64(3)")
    .made_by<BroadcastLengthOp>();

DECLARE_OP(broadcast_shape)
    .family("shape")
    .comment(
        "The shape that arrays have when they are broadcast together. Demands their lengths, and "
        "no elements.")
    .inputs("arrays", "any numeric tensors")
    .output("out", "an int64 vector")
    .example(
        ">>> x, y = tv.matrix(\"x\"), tv.vector(\"y\")\n"
        ">>> f = tv.function([x, y], tv.ops.broadcast_shape(x, y))\n"
        ">>> f(np.zeros((2, 1)), np.zeros(3))\n"
        "array([2, 3])")
    .made_by<BroadcastShapeOp>();

DECLARE_OP(matched_length)
    .family("shape")
    .comment("The length of two axes, which has to be the same: else it is a ValueError.")
    .input("a", "a 0-d integer")
    .input("b", "a 0-d integer")
    .attr("axis_a", AttrType::Int, "what an error calls the axis of `a`")
    .by_default(std::int64_t{0})
    .attr("axis_b", AttrType::Int, "what an error calls the axis of `b`")
    .by_default(std::int64_t{0})
    .output("out", "a 0-d int64")
    .example(
        ">>> n = tv.scalar(\"n\", dtype=\"int64\")\n"
        ">>> tv.function([n], tv.ops.matched_length(n, 3))(3)\n"
        "np.int64(3)")
    .made_by<MatchedLengthOp>();

}  // namespace thunkvm
