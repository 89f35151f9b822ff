// lanes.cpp: which nodes are computed one example after the other, and the loop that does it.
#include "ops/gradient/lanes.h"

#include "ops/control/loop.h"
#include "ops/graph/functions.h"
#include "ops/graph/graph.h"
#include "thunks/error.h"
#include "thunks/index.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <utility>

namespace thunkvm {
namespace {

class Lanes {
 public:
  Lanes(std::span<const Variable> roots, const VariableSet& batched)
      : roots_(roots), batched_(batched), order_(topological_order(roots)) {}

  std::vector<Variable> run() {
    if (!mark_varying()) return {roots_.begin(), roots_.end()};
    mark_outside();
    join_heads();
    std::vector<std::pair<Variable, Variable>> replacements;
    for (std::uint32_t i = 0; i < order_.size(); ++i)
      if (is_outside_head(i) && group(i) == i) replace(i, replacements);
    return substitute(roots_, replacements);
  }

 private:
  std::uint32_t at(const Variable& v) const { return order_.of(*v.node()); }
  bool varies(const Variable& v) const { return batched_.contains(v) || varies_[at(v)]; }

  /// Finds what differs between examples, and the heads of lanes; false if there are none. What
  /// asks for lengths alone does not differ.
  bool mark_varying() {
    varies_.resize(order_.size());
    heads_.resize(order_.size());
    bool any = false;
    for (std::uint32_t i = 0; i < order_.size(); ++i) {
      const Apply& node = *order_[i];
      if (node.leaf() != Leaf::None || node.op()->shape_query() != nullptr) continue;
      const auto inputs = node.inputs();
      const auto differs = [&](const Variable& v) { return varies(v); };
      if (std::none_of(inputs.begin(), inputs.end(), differs)) continue;
      varies_[i] = true;
      const bool decides = node.op()->conditional() != nullptr && varies(node.input(0));
      heads_[i] = decides || node.op()->guards_inputs();
      any = any || heads_[i];
    }
    return any;
  }

  /// Whether an input of a node is demanded in a lane alone, as far as that node says.
  bool is_in_lane(std::uint32_t i, std::uint32_t input) const {
    return heads_[i] && (input != 0 || order_[i]->op()->conditional() == nullptr);
  }
  /// What the roots demand without an arm of a lane, and what of it whatever is decided.
  void mark_outside() {
    outside_.resize(order_.size());
    certain_.resize(order_.size());
    for (const Variable& root : roots_)
      if (!batched_.contains(root)) {
        outside_[at(root)] = certain_[at(root)] = true;
        demanded_.insert(root);
      }
    for (std::uint32_t i = static_cast<std::uint32_t>(order_.size()); i-- > 0;) {
      const Apply& node = *order_[i];
      if (!outside_[i] || node.leaf() != Leaf::None) continue;
      const bool asks = node.op()->shape_query() != nullptr;  // it may know without computing it
      for (std::uint32_t k = 0; k < node.n_inputs(); ++k) {
        const Variable& input = node.inputs()[k];
        if (batched_.contains(input) || is_in_lane(i, k)) continue;
        const bool is_arm = node.op()->conditional() != nullptr && k != 0;
        outside_[at(input)] = true;
        demanded_.insert(input);
        certain_[at(input)] = certain_[at(input)] || (certain_[i] && !is_arm && !asks);
      }
    }
  }
  /// Of a conditional each output is demanded by itself.
  bool is_outside(const Variable& v) const {
    return outside_[at(v)] && (!heads_[at(v)] || demanded_.contains(v));
  }
  bool is_outside_head(std::uint32_t i) const { return heads_[i] && outside_[i]; }

  /// The first head of the lane that a head belongs to.
  std::uint32_t group(std::uint32_t head) {
    while (groups_[head] != head) head = groups_[head] = groups_[groups_[head]];
    return head;
  }
  /// Makes one lane of heads that are certain and share what they demand.
  void join_heads() {
    groups_.resize(order_.size());
    std::iota(groups_.begin(), groups_.end(), 0u);
    std::vector<std::uint32_t> owners(order_.size(), kNone), stack;
    for (std::uint32_t head = 0; head < order_.size(); ++head) {
      if (!is_outside_head(head) || !certain_[head]) continue;
      stack = {head};
      while (!stack.empty()) {
        const std::uint32_t i = stack.back();
        stack.pop_back();
        for (std::uint32_t k = 0; k < order_[i]->n_inputs(); ++k) {
          const Variable& input = order_[i]->inputs()[k];
          const std::uint32_t j = at(input);
          if (batched_.contains(input) || !varies_[j] || is_outside(input)) continue;
          if (owners[j] == kNone) {
            owners[j] = head;
            stack.push_back(j);
          } else {
            const std::uint32_t first = group(owners[j]), second = group(head);
            groups_[std::max(first, second)] = std::min(first, second);
          }
        }
      }
    }
  }

  /// Which nodes depend on a head of a lane of several: those between two of them are in the lane.
  std::vector<bool> behind(std::uint32_t lane, std::span<const std::uint32_t> heads) {
    std::vector<bool> behind(order_.size());
    for (std::uint32_t i = lane; heads.size() > 1 && i <= heads.back(); ++i) {
      if (!varies_[i]) continue;
      behind[i] = is_outside_head(i) && group(i) == lane;
      for (const Variable& input : order_[i]->inputs())
        behind[i] = behind[i] || (!batched_.contains(input) && behind[at(input)]);
    }
    return behind;
  }
  void replace(std::uint32_t lane, std::vector<std::pair<Variable, Variable>>& replacements) {
    std::vector<std::uint32_t> heads;
    for (std::uint32_t i = lane; i < order_.size(); ++i)
      if (is_outside_head(i) && group(i) == lane) heads.push_back(i);
    const std::vector<bool> behind_heads = behind(lane, heads);
    std::vector<std::uint32_t> stack = heads;
    std::vector<bool> met(order_.size());
    for (const std::uint32_t head : heads) met[head] = true;
    std::vector<Variable> inputs, outputs;
    VariableSet given;
    while (!stack.empty()) {
      const std::uint32_t i = stack.back();
      stack.pop_back();
      // What is demanded outside anyway is given out by the lane that it is in.
      if (certain_[i] || is_outside_head(i))
        for (const Variable& output : order_[i]->outputs())
          if (demanded_.contains(output)) outputs.push_back(output);
      for (const Variable& input : order_[i]->inputs()) {
        const std::uint32_t j = at(input);
        if (!varies(input)) continue;
        if (batched_.contains(input) || (is_outside(input) && !behind_heads[j])) {
          if (given.insert(input).second) inputs.push_back(input);
        } else if (!met[j]) {
          met[j] = true;
          stack.push_back(j);
        }
      }
    }
    const Ref<const LaneOp> op(new LaneOp(inputs, outputs));
    const std::vector<Variable> made = op->call(inputs);
    for (std::size_t k = 0; k < outputs.size(); ++k) replacements.emplace_back(outputs[k], made[k]);
  }

  const std::span<const Variable> roots_;
  const VariableSet& batched_;
  const NodeIndex order_;
  std::vector<bool> varies_, heads_, outside_, certain_;  // by node
  VariableSet demanded_;                                  // what nodes outside and roots read
  std::vector<std::uint32_t> groups_;                     // of a head: an earlier one of its lane
};

}  // namespace

std::vector<Variable> LaneOp::call(std::span<const Variable> inputs) const {
  std::vector<TypeRef> types;
  for (const Variable& output : outputs_) types.push_back(output.type_ref());
  return Apply::make(Ref<const Op>(this), inputs, types)->outputs();
}

std::vector<Variable> LaneOp::outputs_for(std::span<const Variable> inputs) const {
  std::vector<std::pair<Variable, Variable>> replacements;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (inputs[i] != inputs_[i]) replacements.emplace_back(inputs_[i], inputs[i]);
  return substitute(outputs_, replacements);
}

std::vector<Variable> with_lanes(std::span<const Variable> roots, const VariableSet& batched) {
  return Lanes(roots, batched).run();
}

std::vector<Variable> rows_of(std::span<const Variable> inputs, const std::vector<bool>& batched,
                              const Variable& example) {
  std::vector<Variable> rows;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    rows.push_back(batched[i] ? row(inputs[i], example) : inputs[i]);
  return rows;
}

std::vector<Variable> for_each_example(
    const Variable& length,
    const std::function<std::vector<Variable>(const Variable& example)>& values) {
  const Variable example = Variable::input(TensorType::scalar(DType::Int64), "example");
  auto* const body = new LoopBody;
  const Ref<const LoopBody> held(body);
  body->name = "map";
  body->states = {example};
  body->nexts = {example + Variable::number(std::int64_t{1})};
  body->test = lt(example, length);
  body->collected = values(example);
  for (const Variable& value : body->collected)
    if (value.type().tensor() == nullptr)
      throw Error(ErrorKind::Type, "a batch is of tensors, but " + value.text() + " is " +
                                       value.type().text() + ", which cannot be stacked");
  const Variable first = Variable::number(std::int64_t{0});
  const LoopOutputs place{1, static_cast<std::uint32_t>(body->collected.size())};
  const std::vector<Variable> made = make_loop(*body, std::span(&first, 1));
  std::vector<Variable> stacked;
  for (std::uint32_t k = 0; k < place.n_collected; ++k) stacked.push_back(made[place.collected(k)]);
  return stacked;
}

}  // namespace thunkvm
