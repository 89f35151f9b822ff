// length.cpp: `length`, that of one axis, without a detour through the whole shape.
#include "ops/graph/array_op.h"
#include "ops/graph/connection.h"
#include "ops/graph/declaration.h"
#include "thunks/error.h"

#include <string>

namespace thunkvm {
namespace {

class LengthOp final : public Op, public PartlyConnected, public ShapeQuery {
 public:
  explicit LengthOp(const Attributes& attrs) : axis_(attrs.get<std::int64_t>("axis")) {}
  std::string name() const override { return "length"; }
  std::string text() const override { return "length{axis=" + std::to_string(axis_) + "}"; }

  std::vector<Variable> call(std::span<const Variable> inputs) const override {
    if (inputs.size() != 1)
      throw Error(ErrorKind::Type,
                  "[length] takes one input; got " + std::to_string(inputs.size()));
    if (axis_ < 0 || axis_ >= inputs[0].ndim())
      throw Error(ErrorKind::Index, "[length] axis " + std::to_string(axis_) +
                                        " is out of bounds for " + inputs[0].text() +
                                        ", which has " + std::to_string(inputs[0].ndim()) +
                                        " dimensions");
    return {Apply::make1(*this, inputs, TensorType::scalar(DType::Int64))};
  }
  ThunkCode kernel(const Apply&) const override {
    return eager_thunk([axis = axis_](Activation& activation, const Operands& operands) {
      const ArrayBody* body = activation.input(operands, 0).body();
      activation.output(operands, 0).set(body->dims[axis]);
    });
  }
  const ShapeQuery* shape_query() const override { return this; }
  Variable answer(Apply&, std::span<const Extents> input_shapes) const override {
    return input_shapes[0][static_cast<std::size_t>(axis_)];
  }
  std::optional<std::vector<IntegerSource>> integers(const Apply&) const override {
    return std::vector<IntegerSource>{{.kind = IntegerSource::Kind::Length, .at = axis_}};
  }
  std::vector<Variable> grad(Apply&, std::span<const Variable>) const override {
    return {Variable()};
  }
  bool connects(int) const override { return false; }
  std::vector<Variable> batch(Apply&, std::span<const Variable> inputs,
                              const std::vector<bool>&) const override {
    const Variable length = call_op("length", {inputs[0]}, {{"axis", axis_ + 1}});
    return {repeat_batch(length, length_of(inputs[0], 0))};
  }

 private:
  std::int64_t axis_;
};

DECLARE_OP(length)
    .family("shape")
    .comment("The length of one axis.")
    .written({Notation::Kind::Attribute, "shape[{axis}]"})
    .input("x", "a tensor of at least one dimension")
    .attr("axis", AttrType::Int, "which axis, counted from 0")
    .by_default(std::int64_t{0})
    .at_least(0)
    .output("out", "an int64 scalar")
    .example(
        ">>> x = tv.matrix(\"x\")\n>>> tv.function([x], tv.ops.length(x, axis=1))(np.zeros((2, "
        "5)))\nnp.int64(5)")
    .made_by<LengthOp>();

}  // namespace
}  // namespace thunkvm
