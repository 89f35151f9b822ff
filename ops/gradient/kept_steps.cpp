#include "ops/gradient/kept_steps.h"

#include "ops/control/conditional.h"
#include "ops/control/step_shapes.h"
#include "ops/graph/extents.h"
#include "ops/graph/functions.h"
#include "ops/graph/node_index.h"
#include "thunks/error.h"

#include <algorithm>
#include <string>

namespace thunkvm {
namespace {

bool asks_lengths_of(const Variable& v, const Variable& array) {
  return !v.is_leaf() && v.node()->op()->shape_query() != nullptr && v.node()->n_inputs() == 1 &&
         v.node()->input(0) == array;
}

}  // namespace

KeptSteps::KeptSteps(Apply& node, const LoopOp& op, const Variable& at)
    : node_(node), body_(op.body()), place_(op.outputs()), at_(at) {}

Variable KeptSteps::first(std::size_t state) const { return node_.input(static_cast<int>(state)); }

/// What a state becomes in each step, where the loop collects that for others; else null.
Variable KeptSteps::collected_next(std::size_t state) const {
  const auto found = std::ranges::find(body_.collected, body_.nexts[state]);
  const auto j = static_cast<std::uint32_t>(found - body_.collected.begin());
  if (j >= place_.n_collected - body_.n_for_gradients) return {};
  return node_.output(place_.collected(j));
}

/// A state at the head of the step. What is collected for others is not kept twice.
Variable KeptSteps::head(std::size_t state) const {
  if (body_.nexts[state] == body_.states[state]) return first(state);
  if (const Variable nexts = collected_next(state))
    return ifelse(eq(at_, Variable::number(std::int64_t{0})), first(state),
                  row(nexts, at_ - Variable::number(std::int64_t{1})));
  return row(node_.output(place_.history(static_cast<std::uint32_t>(state))), at_);
}

Variable KeptSteps::for_gradient(std::size_t i) const {
  const auto collected = static_cast<std::uint32_t>(i) + place_.n_collected - body_.n_for_gradients;
  return node_.output(place_.collected(collected));
}

std::vector<Variable> KeptSteps::read(std::vector<Variable> values, const StepValues& step,
                                      Pairs more) {
  std::vector<Variable> there;
  for (const Variable& v : values)
    if (v) there.push_back(v);
  there = with_lengths_alone(there);
  there = with_decisions(there, step);
  there = with_carried(there, step);
  const std::vector<bool> is_read = states_read_by(there);
  check_tensors(is_read, there);
  tell_lengths(is_read);
  Pairs outside = std::move(later_);
  outside.insert(outside.end(), more.begin(), more.end());
  for (std::size_t i = 0; i < body_.states.size(); ++i)
    if (body_.states[i].type().tensor() != nullptr || body_.nexts[i] == body_.states[i])
      outside.emplace_back(body_.states[i], head(i));
  for (std::size_t j = 0; j < body_.captures.size(); ++j)
    outside.emplace_back(body_.captures[j], first(body_.states.size() + j));
  there = substitute_equals(there, outside);
  auto next = there.begin();
  for (Variable& v : values)
    if (v) v = *next++;
  return values;
}

std::vector<bool> KeptSteps::states_read_by(std::span<const Variable> values) const {
  const NodeIndex nodes = topological_order(values);
  std::vector<bool> is_read;
  for (const Variable& state : body_.states) is_read.push_back(nodes.contains(*state.node()));
  return is_read;
}

void KeptSteps::check_tensors(const std::vector<bool>& is_read,
                              std::span<const Variable> values) const {
  for (std::size_t i = 0; i < body_.states.size(); ++i) {
    const Variable& state = body_.states[i];
    if (!is_read[i] || state.type().tensor() != nullptr || body_.nexts[i] == state) continue;
    std::string reader = "the gradient";
    for (const Apply* node : topological_order(values))
      if (std::ranges::find(node->inputs(), state) != node->inputs().end())
        reader = node->op()->name();
    throw Error(ErrorKind::NotImplemented,
                "[" + body_.name + "] the gradient goes back through " + reader + ", which reads " +
                    state.text() + ", a " + state.type().text() +
                    ", and of the steps that ran a loop keeps tensors alone: carry what " + reader +
                    " reads of it as a tensor in the state too, or take what depends on it "
                    "through stop_gradient");
  }
}

/// What asks for the lengths of a value asks for those of the leaves that it comes from.
std::vector<Variable> KeptSteps::with_lengths_alone(std::span<const Variable> values) {
  std::vector<Apply*> queries;
  for (Apply* node : topological_order(values))
    if (node->op() != nullptr && node->op()->shape_query() != nullptr) queries.push_back(node);
  const std::vector<Variable> leaves = body_.leaves();
  for (const Variable& leaf : leaves) {
    Extents& lengths = lengths_.emplace_back(extents_of(leaf));
    for (Variable& length : lengths)
      if (!known_extent(length)) length = Variable::input(TensorType::scalar(DType::Int64));
  }
  StepShapes shapes(leaves, lengths_);
  Pairs answers;
  for (Apply* node : queries) {
    std::vector<Extents> inputs;
    for (const Variable& input : node->inputs()) inputs.push_back(shapes.of(input));
    const Variable answer = node->op()->shape_query()->answer(*node, inputs);
    if (!same_value(answer, node->output(0))) answers.emplace_back(node->output(0), answer);
  }
  return substitute_equals(values, answers);
}

/// What conditionals were decided by is read where every step decided them.
std::vector<Variable> KeptSteps::with_decisions(std::span<const Variable> values,
                                                const StepValues& step) {
  const std::vector<Variable> certain = certain_selectors(step.pulled_back);
  Pairs decided;
  for (std::size_t i = 0; i < step.for_gradients.size(); ++i) {
    if (std::ranges::find(certain, step.for_gradients[i]) == certain.end()) continue;
    decided.emplace_back(step.for_gradients[i], leaf_like(step.for_gradients[i]));
    later_.emplace_back(decided.back().second, row(for_gradient(i), at_));
  }
  return substitute_equals(values, decided);
}

/// No more states are read for it than without: those that are carried were.
std::vector<Variable> KeptSteps::with_carried(std::span<const Variable> values,
                                              const StepValues& step) {
  const std::vector<bool> is_read = states_read_by(values);
  const NodeIndex before = topological_order(values);
  Pairs became;
  for (std::size_t i = 0; i < body_.states.size(); ++i) {
    const Variable& next = step.nexts[i];
    const auto is_next = [&](const auto& pair) { return pair.first == next; };
    if (!is_read[i] || next.is_leaf() || !before.contains(*next.node()) ||
        body_.states[i].type().tensor() == nullptr || std::ranges::any_of(became, is_next))
      continue;
    became.emplace_back(next, leaf_like(body_.states[i]));
  }
  std::vector<Variable> result = substitute_equals(values, became);
  const NodeIndex after = topological_order(result);
  for (const auto& [next, leaf] : became) {
    if (!after.contains(*leaf.node())) continue;
    const auto i =
        static_cast<std::size_t>(std::ranges::find(step.nexts, next) - step.nexts.begin());
    if (const Variable nexts = collected_next(i)) {
      later_.emplace_back(leaf, row(nexts, at_));
      continue;
    }
    carried_.push_back({leaf, node_.output(place_.last(static_cast<std::uint32_t>(i))), head(i)});
  }
  return result;
}

const std::vector<Extents>& KeptSteps::settled() {
  if (settled_.empty()) settled_ = settled_lengths(body_, node_.inputs());
  return settled_;
}

/// Lengths of leaves: of a state that is read those of its value.
void KeptSteps::tell_lengths(const std::vector<bool>& is_read) {
  for (std::size_t k = 0; k < lengths_.size(); ++k) {
    const bool is_state = k < body_.states.size();
    for (std::size_t axis = 0; axis < lengths_[k].size(); ++axis) {
      if (known_extent(lengths_[k][axis])) continue;
      Variable length;
      if (!is_state) {
        length = extents_of(first(k))[axis];
      } else if (is_read[k]) {
        length = extents_of(body_.states[k])[axis];
      } else {
        length = settled()[k][axis] ? settled()[k][axis] : kept_length(k, axis);
      }
      later_.emplace_back(lengths_[k][axis], length);
    }
  }
}

Variable KeptSteps::kept_length(std::size_t state, std::size_t axis) const {
  const std::span kept = std::span(body_.collected).last(body_.n_for_gradients);
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (!asks_lengths_of(kept[i], body_.states[state])) continue;
    const std::vector<std::string> index = {"?", std::to_string(axis)};
    return call_op("subtensor", {for_gradient(i), at_}, {{"index", index}});
  }
  return extents_of(body_.states[state])[axis];
}

}  // namespace thunkvm
