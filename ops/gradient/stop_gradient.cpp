// stop_gradient.cpp: the identity that no gradient passes.
#include "ops/graph/connection.h"
#include "ops/graph/registry.h"

namespace thunkvm {
namespace {

class StopGradientOp final : public Op, public PartlyConnected {
 public:
  explicit StopGradientOp(const Attributes&) {}
  std::string name() const override { return "stop_gradient"; }

  std::vector<Variable> call(std::span<const Variable> inputs) const override {
    if (inputs.size() != 1)
      throw Error(ErrorKind::Type,
                  "[stop_gradient] takes 1 input, not " + std::to_string(inputs.size()));
    return {Apply::make1(*this, inputs, inputs[0].type_ref())};
  }

  ThunkCode kernel(const Apply&) const override {
    ThunkCode code;
    code.eager = [](Activation& activation, const Operands& operands) {
      activation.output(operands, 0) = activation.input(operands, 0);
      return Status::Done;
    };
    return code;
  }

  std::vector<Extents> infer_shape(Apply&, std::span<const Extents> input_shapes) const override {
    return {input_shapes[0]};
  }

  const AliasMap& view_map() const override {
    static const AliasMap whole_input = {{0, {0}}};
    return whole_input;
  }

  std::vector<Variable> grad(Apply&, std::span<const Variable>) const override {
    return {Variable()};
  }
  bool connects(int) const override { return false; }

  std::vector<Variable> batch(Apply&, std::span<const Variable> inputs,
                              const std::vector<bool>&) const override {
    return call(inputs);
  }
};

class StopGradientMaker : public OpMaker {
 public:
  explicit StopGradientMaker(OpProto& proto) : OpMaker(proto) {
    family("selection");
    expose(Exposure::Package);
    comment("The input itself, which gradients take for a constant.");
    input("x", "any variable");
    output("the same value");
    example(
        ">>> x = tv.scalar(\"x\")\n"
        ">>> cost = x * tv.ops.stop_gradient(x)\n"
        ">>> float(tv.function([x], tv.grad(cost, x))(3.0))\n"
        "3.0");
  }
};
REGISTER_OP(StopGradientOp, StopGradientMaker, stop_gradient)

}  // namespace
}  // namespace thunkvm
