// batching.cpp: batching of whole graphs, and what batching rules need of a batch axis.
#include "ops/control/conditional.h"
#include "ops/gradient/gradient.h"
#include "ops/graph/connection.h"
#include "ops/graph/functions.h"
#include "ops/graph/graph.h"
#include "thunks/error.h"
#include "thunks/interrupt.h"

#include <string>
#include <unordered_map>

namespace thunkvm {
namespace {

// The length of one axis, without a detour through the whole shape.
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
    ThunkCode code;
    code.form = "kernel";
    code.state = std::make_shared<const int>(static_cast<int>(axis_));
    code.eager = [](Activation& activation, const Operands& operands) {
      const int axis = *static_cast<const int*>(operands.state);
      const ArrayBody* body = activation.input(operands, 0).body();
      activation.output(operands, 0).set(body->dims[axis]);
      return Status::Done;
    };
    return code;
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
    return {repeat_batch(length, batch_length(inputs[0]))};
  }

 private:
  std::int64_t axis_;
};

class LengthMaker : public OpMaker {
 public:
  explicit LengthMaker(OpProto& proto) : OpMaker(proto) {
    family("shape");
    comment("The length of one axis.");
    written({Notation::Kind::Attribute, "shape[{axis}]"});
    input("x", "a tensor of at least one dimension");
    attr("axis", AttrType::Int, "which axis, counted from 0")
        .by_default(std::int64_t{0})
        .at_least(0);
    output("an int64 scalar");
    example(
        ">>> x = tv.matrix(\"x\")\n>>> tv.function([x], tv.ops.length(x, axis=1))(np.zeros((2, "
        "5)))\nnp.int64(5)");
  }
};
REGISTER_OP(LengthOp, LengthMaker, length)

// The outputs of a conditional for a batch; null where no arm has one. Where one arm has, the
// others' values are repeated `length` times, each in its own arm: none asks another how long the
// batch is, since at most one of them is computed.
std::vector<Variable> batch_conditional(Apply& node, const Conditional& spec,
                                        std::span<const Variable> inputs,
                                        const std::vector<bool>& batched, const Variable& length) {
  if (batched[0])
    throw Error(ErrorKind::NotImplemented,
                "[" + node.op()->name() + "] cannot branch on a batch of selectors; use where()");
  std::vector<std::uint32_t> outputs;
  for (std::uint32_t j = 0; j < spec.n_outputs; ++j)
    for (std::uint32_t a = 0; a < spec.n_arms; ++a)
      if (batched[spec.arm_input(a, j)]) {
        outputs.push_back(j);
        break;
      }
  std::vector<std::vector<Variable>> arms(spec.n_arms);
  for (std::uint32_t a = 0; a < spec.n_arms; ++a)
    for (const std::uint32_t j : outputs) {
      const std::uint32_t i = spec.arm_input(a, j);
      arms[a].push_back(batched[i] ? inputs[i] : repeat_batch(inputs[i], length));
    }
  const std::vector<Variable> values = conditional(inputs[0], spec.decoding, arms);
  std::vector<Variable> result(spec.n_outputs);
  for (std::size_t k = 0; k < outputs.size(); ++k) result[outputs[k]] = values[k];
  return result;
}

}  // namespace

Variable batch_length(const Variable& x) {
  if (x.static_shape().front() != kUnknownLength) return Variable::number(x.static_shape().front());
  return call_op("length", {x}, {{"axis", std::int64_t{0}}});
}

Variable repeat_batch(const Variable& x, const Variable& length) {
  const Variable lead = expand_dims(length, {0});
  const Variable whole =
      x.ndim() == 0 ? lead : call_op("concatenate", {lead, shape(x)}, {{"axis", std::int64_t{0}}});
  return broadcast_to(x, whole, x.ndim() + 1);
}

Batched vectorize(std::span<const Variable> roots, std::span<const Variable> from,
                  std::span<const Variable> to, const Variable& length) {
  std::unordered_map<Variable, Variable, VariableHash> batched;
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (to[i].ndim() != from[i].ndim() + 1)
      throw Error(ErrorKind::Value,
                  "vectorize: " + to[i].text() + " has " + std::to_string(to[i].ndim()) +
                      " dimensions, but it has to have one more than " + from[i].text() +
                      ", which has " + std::to_string(from[i].ndim()));
    batched.emplace(from[i], to[i]);
  }
  for (Apply* node : topological_order(roots)) {
    if (node->leaf() != Leaf::None) continue;
    std::vector<Variable> inputs;
    std::vector<bool> flags;
    bool any = false, given = true;
    for (const Variable& input : node->inputs()) {
      const auto found = batched.find(input);
      flags.push_back(found != batched.end());
      inputs.push_back(flags.back() ? found->second : input);
      any = any || flags.back();
    }
    for (const Variable& output : node->outputs()) given = given && batched.contains(output);
    if (!any || given) continue;
    poll_interrupt();
    const Conditional* spec = node->op()->conditional();
    const std::vector<Variable> outputs =
        spec == nullptr ? node->op()->batch(*node, inputs, flags)
                        : batch_conditional(*node, *spec, inputs, flags,
                                            length ? length : batch_length(to.front()));
    for (std::uint32_t j = 0; j < node->n_outputs(); ++j)
      if (outputs[j]) batched.emplace(node->output(j), outputs[j]);
  }
  Batched result;
  for (const Variable& root : roots) {
    const auto found = batched.find(root);
    result.batched.push_back(found != batched.end());
    result.roots.push_back(found == batched.end() ? root : found->second);
  }
  return result;
}

}  // namespace thunkvm
