// specify_shape.cpp: `specify_shape`, an array whose lengths are what was said that they are.
#include "ops/graph/array_op.h"
#include "ops/graph/declaration.h"

namespace thunkvm {

namespace {

struct SpecifiedShape {
  StaticShape lengths;
  std::string what;
};

void run_specify_shape(Activation& activation, const Operands& operands) {
  const SpecifiedShape& wanted = kernel_state<SpecifiedShape>(operands);
  const Cell& x = activation.input(operands, 0);
  const CellMemory seen(x);
  for (std::size_t axis = 0; axis < wanted.lengths.size(); ++axis) {
    const std::int64_t length = wanted.lengths[axis];
    if (length == kUnknownLength || length == seen.shape[axis]) continue;
    throw Error(ErrorKind::Value, "[specify_shape] " + wanted.what + " has shape " +
                                      format_shape(seen.shape) + ", but axis " +
                                      std::to_string(axis) + " has to have length " +
                                      std::to_string(length));
  }
  activation.output(operands, 0) = x;
}

class SpecifyShapeOp final : public ArrayOp {
 public:
  explicit SpecifyShapeOp(const Attributes& attrs) : ArrayOp("specify_shape", attrs) {}

  std::vector<Variable> call(std::span<const Variable> inputs) const override {
    expect_inputs(inputs, 1);
    const Variable& x = inputs[0];
    const StaticShape& known = x.static_shape();
    StaticShape shape = lengths();
    if (shape.size() != known.size())
      fail(ErrorKind::Value, what() + " is a " + x.type().text() + ", but " +
                                 std::to_string(shape.size()) + " lengths are given for its axes");
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      if (shape[axis] == kUnknownLength) shape[axis] = known[axis];
      if (known[axis] != kUnknownLength && known[axis] != shape[axis])
        fail(ErrorKind::Value, what() + " is a " + x.type().text() + ", but axis " +
                                   std::to_string(axis) + " has to have length " +
                                   std::to_string(shape[axis]));
    }
    if (shape == known) return {x};
    return {Apply::make1(*this, inputs, TensorType::of(x.dtype(), shape))};
  }

  ThunkCode kernel(const Apply&) const override {
    return kernel_code<run_specify_shape>(SpecifiedShape{lengths(), what()});
  }

  std::vector<Extents> infer_shape(Apply&, std::span<const Extents> input_shapes) const override {
    return {input_shapes[0]};
  }

  const AliasMap& view_map() const override {
    static const AliasMap map{{0, {0}}};
    return map;
  }

  Linearity linearity() const override { return Linearity::Each; }
  std::vector<Variable> grad(Apply&, std::span<const Variable> g) const override { return {g[0]}; }

  std::vector<Variable> batch(Apply&, std::span<const Variable> inputs,
                              const std::vector<bool>&) const override {
    StaticShape longer = lengths();
    longer.insert(longer.begin(), kUnknownLength);
    return {call_op("specify_shape", {inputs[0]}, {{"shape", longer}, {"what", what()}})};
  }

 private:
  const StaticShape& lengths() const { return attributes().get<StaticShape>("shape"); }
  const std::string& what() const { return attributes().get<std::string>("what"); }
};

}  // namespace

DECLARE_OP(specify_shape)
    .family("shape")
    .comment(
        "`x` itself, whose lengths are checked when it is computed. From there on they are known.")
    .input("x", "any numeric tensor")
    .attr("shape", AttrType::Ints, "a length for each axis; -1 for any")
    .at_least(static_cast<double>(kUnknownLength))
    .attr("what", AttrType::String, "what an error calls it")
    .by_default(std::string("the array"))
    .output("out", "`x`")
    .example(
        ">>> x = tv.vector(\"x\")\n"
        ">>> tv.ops.specify_shape(x, shape=[3]).type.shape\n"
        "(3,)")
    .made_by<SpecifyShapeOp>();

}  // namespace thunkvm
