#include "ops/gradient/gradient.h"
#include "ops/gradient/kept_steps.h"
#include "ops/gradient/loops.h"
#include "ops/graph/array_op.h"
#include "ops/graph/extents.h"
#include "ops/graph/functions.h"
#include "ops/graph/graph.h"
#include "thunks/error.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

namespace thunkvm {
namespace {

using Pairs = std::vector<std::pair<Variable, Variable>>;

bool is_differentiable(const Variable& v) {
  const TensorType* const type = v.type().tensor();
  return type != nullptr && is_inexact(type->dtype());
}

/// The position of the row that a node reads of its first input; nothing for all other nodes.
std::optional<Variable> position_of_row(const Apply& node) {
  if (node.op() == nullptr || node.op()->proto() == nullptr || node.n_inputs() != 2 ||
      node.op()->proto()->name != "subtensor" ||
      node.op()->attributes().get<std::vector<std::string>>("index") !=
          std::vector<std::string>{"?"})
    return std::nullopt;
  return node.input(1);
}

/// A leaf for values like this one, of whatever lengths.
Variable leaf_of_any_lengths(const Variable& v) {
  return Variable::input(TensorType::of_ndim(v.dtype(), v.ndim()));
}

Variable total_of(const Variable& a, const Variable& b) { return !a ? b : !b ? a : add(a, b); }

class LoopGradients {
 public:
  LoopGradients(Apply& node, const LoopOp& op, std::span<const Variable> incoming,
                const std::vector<bool>& wanted)
      : node_(node),
        body_(op.body()),
        place_(op.outputs()),
        incoming_(incoming),
        wanted_(wanted),
        n_states_(body_.states.size()),
        is_active_(n_states_),
        is_reached_(body_.captures.size()),
        steps_(node, op, at_) {}

  std::vector<Variable> run() {
    find_active();
    find_rows();
    add_state(left_, node_.output(place_.steps()), left_ - number(1));
    for (std::size_t i = 0; i < n_states_; ++i)
      if (is_active_[i]) adjoints_.push_back(leaf_of_any_lengths(body_.states[i]));
    pull_back_step();
    const std::vector<Variable> outputs = make();
    return gradients(outputs);
  }

 private:
  static Variable number(std::int64_t value) { return Variable::number(value); }
  Variable first(std::size_t state) const { return node_.input(static_cast<int>(state)); }
  Variable outside(std::size_t capture) const {
    return node_.input(static_cast<int>(n_states_ + capture));
  }

  /// The states through which what comes in reaches the inputs, and the captures that it does.
  void find_active() {
    for (std::size_t i = 0; i < n_states_; ++i) {
      const auto state = static_cast<std::uint32_t>(i);
      is_active_[i] = is_differentiable(body_.states[i]) &&
                      (incoming_[place_.last(state)] || incoming_[place_.history(state)]);
    }
    std::unordered_map<const Apply*, std::size_t> state_of, capture_of;
    for (std::size_t i = 0; i < n_states_; ++i) state_of[body_.states[i].node()] = i;
    for (std::size_t j = 0; j < body_.captures.size(); ++j)
      capture_of[body_.captures[j].node()] = j;
    for (bool grows = true; grows;) {
      grows = false;
      for (const Apply* node : topological_order(roots())) {
        if (const auto capture = capture_of.find(node); capture != capture_of.end())
          is_reached_[capture->second] = wanted_[n_states_ + capture->second] &&
                                         is_differentiable(body_.captures[capture->second]);
        const auto state = state_of.find(node);
        if (state == state_of.end() || is_active_[state->second] ||
            !is_differentiable(body_.states[state->second]))
          continue;
        is_active_[state->second] = grows = true;
      }
    }
  }
  /// What a step gives on: the next values of those states, and what is collected.
  std::vector<Variable> roots() const {
    std::vector<Variable> roots;
    for (std::size_t i = 0; i < n_states_; ++i)
      if (is_active_[i]) roots.push_back(body_.nexts[i]);
    for (std::uint32_t j = 0; j < place_.n_collected; ++j)
      if (incoming_[place_.collected(j)]) roots.push_back(body_.collected[j]);
    return roots;
  }

  /// Rows that a step reads of what it captures become leaves.
  void find_rows() {
    for (Apply* node : topological_order(roots())) {
      const std::optional<Variable> position = position_of_row(*node);
      if (!position) continue;
      for (std::size_t j = 0; j < body_.captures.size(); ++j)
        if (node->input(0) == body_.captures[j] && is_reached_[j])
          rows_.push_back({j, *position, leaf_of_any_lengths(node->output(0)), node->output(0)});
    }
  }

  void pull_back_step() {
    std::vector<Variable> incoming = adjoints_;
    for (std::uint32_t j = 0; j < place_.n_collected; ++j)
      if (incoming_[place_.collected(j)])
        incoming.push_back(row(incoming_[place_.collected(j)], at_));
    std::vector<Variable> wrt;
    for (std::size_t i = 0; i < n_states_; ++i)
      if (is_active_[i]) wrt.push_back(body_.states[i]);
    for (std::size_t j = 0; j < is_reached_.size(); ++j)
      if (is_reached_[j]) wrt.push_back(body_.captures[j]);
    for (const Row& row : rows_) wrt.push_back(row.leaf);
    const StepValues step = values_of_step();
    std::vector<Variable> pulled = pull_back(step.pulled_back, incoming, wrt);
    for (const Row& row : rows_) pulled.push_back(row.position);
    Pairs rows;
    for (const Row& row : rows_) rows.emplace_back(row.leaf, row.read);
    pulled_ = steps_.read(pulled, step, rows);
  }

  /// With leaves for the rows that it reads of what it captures.
  StepValues values_of_step() const {
    const std::vector<Variable> pulled_back = roots();
    std::vector<Variable> all = pulled_back;
    all.insert(all.end(), body_.nexts.begin(), body_.nexts.end());
    all.insert(all.end(), body_.collected.end() - body_.n_for_gradients, body_.collected.end());
    Pairs to_leaves;
    for (const Row& row : rows_) to_leaves.emplace_back(row.read, row.leaf);
    all = substitute_equals(all, to_leaves);
    const auto nexts = all.begin() + static_cast<std::ptrdiff_t>(pulled_back.size());
    const auto for_gradients = nexts + static_cast<std::ptrdiff_t>(n_states_);
    return {{all.begin(), nexts}, {nexts, for_gradients}, {for_gradients, all.end()}};
  }

  /// Of lengths that no step has to run for, where they are known.
  Variable zeros_of_last(std::uint32_t state) {
    const Variable& last = node_.output(place_.last(state));
    if (has_known_lengths(last.type())) return zeros_like(last);
    const Extents& lengths = steps_.settled()[state];
    if (!std::ranges::all_of(lengths, [](const Variable& each) { return bool(each); }))
      return zeros_like(last);
    return zeros_of(lengths, last.dtype());
  }

  void add_state(const Variable& leaf, const Variable& first, const Variable& next) {
    made_.states.push_back(leaf);
    firsts_.push_back(first);
    made_.nexts.push_back(next);
  }

  std::vector<Variable> make() {
    auto pulled = pulled_.begin();
    auto adjoint = adjoints_.begin();
    for (std::size_t i = 0; i < n_states_; ++i) {
      if (!is_active_[i]) continue;
      const auto state = static_cast<std::uint32_t>(i);
      Variable next = *pulled++;
      if (const Variable& kept = incoming_[place_.history(state)])
        next = total_of(next, row(kept, at_));
      if (!next) next = zeros_like(*adjoint);
      const Variable& last = incoming_[place_.last(state)];
      add_state(*adjoint++, last ? last : zeros_of_last(state),
                cast(next, body_.states[i].dtype()));
    }
    for (std::size_t j = 0; j < is_reached_.size(); ++j) {
      if (!is_reached_[j]) continue;
      const Variable part = *pulled++;
      if (!part) {
        is_reached_[j] = false;  // by its rows alone, or not at all
        continue;
      }
      const Variable sum = leaf_of_any_lengths(body_.captures[j]);
      add_state(sum, zeros_like(outside(j)), cast(add(sum, part), sum.dtype()));
    }
    for (std::size_t k = 0; k < rows_.size(); ++k) {
      const Variable part = pulled[static_cast<std::ptrdiff_t>(k)];
      const Variable position = pulled[static_cast<std::ptrdiff_t>(rows_.size() + k)];
      made_.collected.push_back(part ? part : zeros_like(row(outside(rows_[k].capture), position)));
      made_.collected.push_back(cast(position, DType::Int64));
    }
    for (const auto& [leaf, first, next] : steps_.carried()) add_state(leaf, first, next);
    auto* const body = new LoopBody;
    const Ref<const LoopBody> held(body);
    body->name = body_.name + "_gradient";
    body->states = made_.states;
    body->nexts = made_.nexts;
    body->collected = made_.collected;
    body->test = gt(left_, number(0));
    collect_for_gradients(*body);
    return make_loop(*body, firsts_);
  }

  std::vector<Variable> gradients(std::span<const Variable> outputs) {
    std::vector<Variable> result(node_.n_inputs());
    const LoopOutputs place{static_cast<std::uint32_t>(made_.states.size()),
                            static_cast<std::uint32_t>(made_.collected.size())};
    std::uint32_t state = 1;
    for (std::size_t i = 0; i < n_states_; ++i)
      if (is_active_[i]) result[i] = outputs[place.last(state++)];
    for (std::size_t j = 0; j < is_reached_.size(); ++j)
      if (is_reached_[j]) result[n_states_ + j] = outputs[place.last(state++)];
    for (std::uint32_t k = 0; k < rows_.size(); ++k) {
      const Variable x = outside(rows_[k].capture);
      const Variable taken = take_rows(x, outputs[place.collected(2 * k + 1)]);
      const Variable parts = outputs[place.collected(2 * k)];
      Variable& sum = result[n_states_ + rows_[k].capture];
      sum =
          total_of(sum, pull_back(std::span(&taken, 1), std::span(&parts, 1), std::span(&x, 1))[0]);
    }
    return result;
  }

  static Variable take_rows(const Variable& x, const Variable& positions) {
    return call_op("take", {x, positions}, {{"axis", std::int64_t{0}}});
  }

  struct Row {
    std::size_t capture;
    Variable position, leaf, read;
  };

  Apply& node_;
  const LoopBody& body_;
  const LoopOutputs place_;
  const std::span<const Variable> incoming_;
  const std::vector<bool>& wanted_;
  const std::size_t n_states_;
  std::vector<bool> is_active_, is_reached_;  // by state, by capture
  std::vector<Row> rows_;
  const Variable left_ = Variable::input(TensorType::scalar(DType::Int64), "left");
  const Variable at_ = left_ - number(1);  // the number of the step
  KeptSteps steps_;
  std::vector<Variable> adjoints_;  // leaves, of the active states
  std::vector<Variable> pulled_;  // of these, of the captures that are reached, of rows; positions
  LoopBody made_;
  std::vector<Variable> firsts_;
};

}  // namespace

std::vector<Variable> loop_gradients(Apply& node, const LoopOp& op,
                                     std::span<const Variable> incoming,
                                     const std::vector<bool>& wanted) {
  if (op.body().implicit) return fixed_point_gradients(node, op, incoming);
  return LoopGradients(node, op, incoming, wanted).run();
}

}  // namespace thunkvm
