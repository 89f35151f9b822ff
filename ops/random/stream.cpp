// stream.cpp: `random_stream`, the state of a generator for one draw, before a function says which.
#include "ops/graph/array_op.h"
#include "ops/graph/declaration.h"
#include "ops/random/pcg64.h"

namespace thunkvm {

namespace {

void run_stream(Activation& activation, const Operands& operands) {
  activation.output(operands, 0) = activation.input(operands, 0);
}

/// The state itself. A generator that is shared gives one to each of its draws, with the draw's
/// number; a function that is made of them puts the state behind the draw before in its place.
class StreamOp final : public ArrayOp {
 public:
  explicit StreamOp(const Attributes& attrs) : ArrayOp("random_stream", attrs) {}

  std::vector<Variable> call(std::span<const Variable> inputs) const override {
    expect_inputs(inputs, 1);
    if (inputs[0].dtype() != DType::UInt64 || inputs[0].ndim() != 1)
      fail(ErrorKind::Type, "the state must be 6 words of uint64, but " + inputs[0].text() +
                                " is a " + inputs[0].type().text());
    return {Apply::make1(*this, inputs, TensorType::of(DType::UInt64, {kStateWords}))};
  }

  ThunkCode kernel(const Apply&) const override { return kernel_code<run_stream>(0); }
  std::vector<Extents> infer_shape(Apply&, std::span<const Extents> shapes) const override {
    return {shapes[0]};
  }
  std::vector<Variable> grad(Apply&, std::span<const Variable>) const override {
    return {Variable()};
  }
  std::vector<Variable> batch(Apply&, std::span<const Variable> inputs,
                              const std::vector<bool>&) const override {
    return {inputs[0]};
  }
  const AliasMap& view_map() const override {
    static const AliasMap views{{0, {0}}};
    return views;
  }
};

}  // namespace

DECLARE_OP(random_stream)
    .family("random")
    .comment("The state of a generator, for one of its draws.")
    .input("state", "6 words of uint64")
    .attr("number", AttrType::Int, "the number of the draw")
    .output("out", "the state")
    .example(
        ">>> state = tv.ops.random_stream(tv.random.key(1), number=1)\n"
        ">>> tv.function([], state)().shape\n"
        "(6,)")
    .made_by<StreamOp>();

}  // namespace thunkvm
