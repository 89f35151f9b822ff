// cumsum.cpp: `cumsum`, the running sum along an axis.
#include "ops/graph/declaration.h"
#include "ops/reduction/cumulative.h"

namespace thunkvm {

namespace {

struct RunningSum {
  template <class T>
  static auto combine(T sum, T value) {
    return sum + value;
  }
};

class CumsumOp final : public CumulativeOp {
 public:
  explicit CumsumOp(const Attributes& attrs) : CumulativeOp("cumsum", attrs) {}

  Linearity linearity() const override { return Linearity::Each; }
  ThunkCode kernel(const Apply& node) const override {
    return cumulative_kernel<RunningSum>(node.input(0).dtype(), name(), axis_of(node));
  }

 protected:
  /// Each element counts in all the sums from its own on: the running sum from the other end.
  Variable gradient_along(const Variable&, const Variable& g, int axis) const override {
    return reversed(along(reversed(g, axis), axis), axis);
  }
};

}  // namespace

DECLARE_OP(cumsum)
    .family("reduction")
    .expose(Exposure::Method)
    .comment("Running sum of the elements along an axis.")
    .input("x", "any numeric tensor")
    .attr("axis", AttrType::Int, "the axis to sum along; the flattened tensor if None")
    .optional()
    .output("out", "the sums so far: int64 or uint64 for integers, else the dtype of `x`")
    .example(
        ">>> x = tv.vector(\"x\")\n"
        ">>> tv.function([x], tv.cumsum(x))([1.0, 2.0, 3.0])\n"
        "array([1., 3., 6.])")
    .made_by<CumsumOp>();

}  // namespace thunkvm
