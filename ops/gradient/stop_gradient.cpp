// stop_gradient.cpp: the identity that no gradient passes.
#include "ops/graph/connection.h"
#include "ops/graph/declaration.h"
#include "ops/graph/identity_op.h"
#include "ops/graph/registry.h"

namespace thunkvm {
namespace {

class StopGradientOp final : public IdentityOp, public PartlyConnected {
 public:
  explicit StopGradientOp(const Attributes&) : IdentityOp("stop_gradient") {}

  std::vector<Variable> grad(Apply&, std::span<const Variable>) const override {
    return {Variable()};
  }
  bool connects(int) const override { return false; }
};

DECLARE_OP(stop_gradient)
    .family("selection")
    .expose(Exposure::Package)
    .comment("The input itself, which gradients take for a constant.")
    .input("x", "any variable")
    .output("out", "the same value")
    .example(
        ">>> x = tv.scalar(\"x\")\n"
        ">>> cost = x * tv.ops.stop_gradient(x)\n"
        ">>> float(tv.function([x], tv.grad(cost, x))(3.0))\n"
        "3.0")
    .made_by<StopGradientOp>();

}  // namespace
}  // namespace thunkvm
