#include "ops/control/loop_attributes.h"

#include "ops/graph/declaration.h"
#include "ops/graph/registry.h"
#include "thunks/error.h"

#include <cstddef>
#include <unordered_set>
#include <utility>

namespace thunkvm {
namespace {

constexpr double kMost = 1 << 20;  // of states, and of values that are collected

[[noreturn]] void refuse(const std::string& message) { throw Error(ErrorKind::Value, message); }

std::size_t count(const Attributes& attributes, const char* name) {
  return static_cast<std::size_t>(attributes.get<std::int64_t>(name));
}

void check_condition(const std::string& loop, const Variable& condition) {
  const TensorType* const type = condition.type().tensor();
  bool is_one = type != nullptr;
  if (is_one)
    for (const std::int64_t length : type->shape())
      is_one = is_one && (length == 1 || length == kUnknownLength);
  if (!is_one)
    refuse("[" + loop + "] its test and limit are one number each, not " + condition.type().text());
}

void check_leaves(const std::string& loop, std::span<const Variable> inputs) {
  std::unordered_set<Variable, VariableHash> known;
  for (const Variable& input : inputs)
    if (input.leaf() != Leaf::Input || !known.insert(input).second)
      refuse("[" + loop + "] the input " + input.text() +
             " of its body is no free variable, or is there twice");
}

DECLARE_OP(loop)
    .family("loop")
    .comment(
        "Steps of a graph, as long as its test is true. The core of while_loop, scan, map and "
        "their like. Its outputs are the last values of the states, their values at the heads of "
        "all steps, what the steps collect, the number of steps, and whether the test ended it.")
    .example(R"(>>> x, limit, value = tv.scalars("x", "limit", "value")
>>> step = ([value, limit], [value < limit, 2.0 * value])
>>> last, heads, n, ended = tv.ops.loop(1.0, x, name="doubling", body=step, n_states=1)
>>> f = tv.function([x], [last, heads, n])
>>> [value.tolist() for value in f(7.0)]
[8.0, [1.0, 2.0, 4.0], 3]
)")
    .inputs("values", "the first values of the states, then what the body takes from outside")
    .of_any_type()
    .attr("name", AttrType::String, "the function that made it, for messages")
    .attr("body", AttrType::Graph,
          "one step. Its inputs are the states, then what it takes from outside; its outputs are "
          "the limit if there is one, the test, the next values of the states, and what it "
          "collects")
    .attr("n_states", AttrType::Int, "how many states there are")
    .at_least(0)
    .at_most(kMost)
    .attr("has_limit", AttrType::Bool, "whether a limit is decided before the test")
    .by_default(false)
    .attr("n_collected", AttrType::Int, "how many values of each step are kept")
    .by_default(std::int64_t{0})
    .at_least(0)
    .at_most(kMost)
    .attr("n_for_gradients", AttrType::Int,
          "how many of these, the last ones, gradients read alone")
    .by_default(std::int64_t{0})
    .at_least(0)
    .at_most(kMost)
    .attr("keeps", AttrType::Int, "for who made it: what its histories are of what it collects")
    .by_default(std::int64_t{0})
    .at_least(0)
    .at_most(kMost)
    .attr("implicit", AttrType::Bool,
          "whether the first state is a fixed point in the end, whose gradient is that of the "
          "equation")
    .by_default(false)
    .output("out", "the last values of the states, and the other outputs")
    .not_plain()
    .made_by<LoopOp>();

}  // namespace

Attributes attributes_of(const LoopBody& body) {
  return {{"name", body.name},
          {"body", Ref<const InnerGraph>(&body)},
          {"n_states", static_cast<std::int64_t>(body.states.size())},
          {"has_limit", static_cast<bool>(body.limit)},
          {"n_collected", static_cast<std::int64_t>(body.collected.size())},
          {"n_for_gradients", std::int64_t{body.n_for_gradients}},
          {"keeps", std::int64_t{body.keeps}},
          {"implicit", body.implicit}};
}

Ref<const LoopBody> body_of(const Attributes& attributes) {
  const auto graph = attributes.get<Ref<const InnerGraph>>("body");
  if (const auto* known = dynamic_cast<const LoopBody*>(graph.get());
      known != nullptr && attributes_of(*known) == attributes)
    return known;
  auto* const body = new LoopBody;
  const Ref<const LoopBody> held(body);
  const std::vector<Variable> inputs = graph->inputs(), values = graph->outputs();
  const std::size_t n_states = count(attributes, "n_states");
  const std::size_t n_collected = count(attributes, "n_collected");
  const std::size_t n_limits = attributes.get<bool>("has_limit") ? 1 : 0;
  body->name = attributes.get<std::string>("name");
  body->keeps = static_cast<std::uint32_t>(count(attributes, "keeps"));
  body->implicit = attributes.get<bool>("implicit");
  body->n_for_gradients = static_cast<std::uint32_t>(count(attributes, "n_for_gradients"));
  if (inputs.size() < n_states || values.size() != n_limits + 1 + n_states + n_collected ||
      body->n_for_gradients > n_collected || (body->implicit && n_states == 0))
    refuse("[" + body->name + "] a body of " + std::to_string(inputs.size()) + " inputs and " +
           std::to_string(values.size()) + " outputs does not fit the loop's attributes");
  check_leaves(body->name, inputs);
  const auto first_capture = inputs.begin() + static_cast<std::ptrdiff_t>(n_states);
  body->states.assign(inputs.begin(), first_capture);
  body->captures.assign(first_capture, inputs.end());
  body->nexts.resize(n_states);
  body->collected.resize(n_collected);
  if (n_limits == 1) check_condition(body->name, body->limit = values.front());
  body->set_values(values);
  check_condition(body->name, body->test);
  for (const Variable& collected : body->collected) collected.tensor();
  return held;
}

Ref<const Op> loop_op(const LoopBody& body) {
  return OpRegistry::create("loop", attributes_of(body));
}

}  // namespace thunkvm
