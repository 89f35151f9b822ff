#include "ops/gradient/loops.h"
#include "ops/gradient/push_forward.h"
#include "ops/graph/functions.h"
#include "ops/graph/graph.h"
#include "thunks/index.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace thunkvm {
namespace {

using Pairs = std::vector<std::pair<Variable, Variable>>;

/// A leaf for tangents of a value, of whatever lengths.
Variable tangent_leaf(const Variable& v) {
  const TensorType* const type = v.type().tensor();
  if (type == nullptr) return Variable::input(v.type_ref());
  return Variable::input(TensorType::of_ndim(type->dtype(), type->ndim()));
}

class LoopTangents {
 public:
  LoopTangents(Apply& node, const LoopOp& op, std::span<const Variable> tangents,
               const std::vector<bool>& wanted)
      : node_(node),
        body_(op.body()),
        place_(op.outputs()),
        given_(tangents),
        wanted_(wanted),
        n_states_(body_.states.size()),
        is_read_(n_states_),
        leaves_(n_states_) {}

  std::vector<Variable> run() {
    find_read();
    find_changing();
    push_step();
    return made();
  }

 private:
  bool is_wanted(std::size_t output) const { return wanted_[output]; }

  /// What a step gives on of the states that tangents are read of, and of what is collected.
  std::vector<Variable> roots() const {
    std::vector<Variable> roots;
    for (std::size_t i = 0; i < n_states_; ++i)
      if (is_read_[i]) roots.push_back(body_.nexts[i]);
    for (std::uint32_t j = 0; j < place_.n_collected; ++j)
      if (is_wanted(place_.collected(j))) roots.push_back(body_.collected[j]);
    return roots;
  }

  /// The states whose tangents are wanted, and those from which tangents reach these.
  void find_read() {
    for (std::uint32_t i = 0; i < n_states_; ++i)
      is_read_[i] = is_wanted(place_.last(i)) || is_wanted(place_.history(i));
    for (bool grows = true; grows;) {
      grows = false;
      ways_ = ways_to(roots());
      for (std::size_t i = 0; i < n_states_; ++i)
        if (!is_read_[i] && ways_.contains(body_.states[i])) is_read_[i] = grows = true;
    }
  }

  /// The states that may change, by what begins to and what steps make of it.
  void find_changing() {
    const std::vector<Variable> all = body_.leaves();
    VariableSet changing;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (given_[i]) changing.insert(all[i]);
    const NodeIndex order = topological_order(roots());
    for (bool grows = true; grows;) {
      grows = false;
      for (Apply* node : order) {
        const auto inputs = node->inputs();
        const auto changes = [&](const Variable& v) {
          return ways_.contains(v) && changing.contains(v);
        };
        if (std::ranges::any_of(inputs, changes))
          for (const Variable& output : node->outputs())
            if (ways_.contains(output)) changing.insert(output);
      }
      for (std::size_t i = 0; i < n_states_; ++i)
        if (is_read_[i] && changing.contains(body_.nexts[i]))
          grows = changing.insert(body_.states[i]).second || grows;
    }
    for (std::size_t i = 0; i < n_states_; ++i)
      if (is_read_[i] && changing.contains(body_.states[i]))
        leaves_[i] = tangent_leaf(body_.states[i]);
  }

  void push_step() {
    std::vector<Variable> wrt, along;
    for (std::size_t i = 0; i < n_states_; ++i)
      if (leaves_[i]) {
        wrt.push_back(body_.states[i]);
        along.push_back(leaves_[i]);
      }
    for (std::size_t j = 0; j < body_.captures.size(); ++j)
      if (const Variable& tangent = given_[n_states_ + j]) {
        wrt.push_back(body_.captures[j]);
        along.push_back(tangent);
      }
    pushed_ = push_forward(roots(), wrt, along);
  }

  std::vector<Variable> made() {
    auto* const body = new LoopBody;
    const Ref<const LoopBody> held(body);
    std::vector<Variable> firsts, nexts = body_.nexts, collected;
    Pairs inside;
    for (std::size_t i = 0; i < n_states_; ++i) {
      body->states.push_back(leaf_like(body_.states[i]));
      firsts.push_back(node_.input(static_cast<int>(i)));
      inside.emplace_back(body_.states[i], body->states.back());
    }
    for (std::size_t j = 0; j < body_.captures.size(); ++j)
      inside.emplace_back(body_.captures[j], node_.input(static_cast<int>(n_states_ + j)));
    auto pushed = pushed_.begin();
    std::vector<std::uint32_t> state_of(n_states_);  // of the new loop, of a state's tangent
    for (std::size_t i = 0; i < n_states_; ++i) {
      const Variable next = is_read_[i] ? *pushed++ : Variable();
      if (!leaves_[i]) continue;
      state_of[i] = static_cast<std::uint32_t>(body->states.size());
      body->states.push_back(leaves_[i]);
      firsts.push_back(given_[i] ? given_[i] : zeros_like(firsts[i]));
      nexts.push_back(next ? next : zeros_like(body_.nexts[i]));
    }
    std::vector<std::uint32_t> collected_of(place_.n_collected, kNone);
    for (std::uint32_t j = 0; j < place_.n_collected; ++j) {
      if (!is_wanted(place_.collected(j))) continue;
      if (const Variable tangent = *pushed++) {
        collected_of[j] = static_cast<std::uint32_t>(collected.size());
        collected.push_back(tangent);
      }
    }
    body->name = body_.name + "_tangent";
    body->limit = body_.limit;
    body->test = body_.test;
    body->nexts = std::move(nexts);
    body->collected = std::move(collected);
    body->set_values(substitute(body->values(), inside));
    collect_for_gradients(*body);
    const std::vector<Variable> outputs = make_loop(*body, firsts);
    const LoopOutputs all{static_cast<std::uint32_t>(body->states.size()),
                          static_cast<std::uint32_t>(body->collected.size())};
    std::vector<Variable> result(place_.size());
    for (std::uint32_t i = 0; i < n_states_; ++i) {
      if (!leaves_[i]) continue;
      result[place_.last(i)] = outputs[all.last(state_of[i])];
      result[place_.history(i)] = outputs[all.history(state_of[i])];
    }
    for (std::uint32_t j = 0; j < place_.n_collected; ++j)
      if (collected_of[j] != kNone)
        result[place_.collected(j)] = outputs[all.collected(collected_of[j])];
    return result;
  }

  Apply& node_;
  const LoopBody& body_;
  const LoopOutputs place_;
  const std::span<const Variable> given_;  // tangents of the first states, then of the captures
  const std::vector<bool>& wanted_;
  const std::size_t n_states_;
  std::vector<bool> is_read_;     // by state: tangents of it are
  std::vector<Variable> leaves_;  // by state: for its tangent, if it has one
  VariableSet ways_;
  std::vector<Variable> pushed_;  // of `roots`
};

}  // namespace

std::vector<Variable> loop_tangents(Apply& node, const LoopOp& op,
                                    std::span<const Variable> tangents,
                                    const std::vector<bool>& wanted) {
  if (op.body().implicit) return fixed_point_tangents(node, op, tangents, wanted);
  return LoopTangents(node, op, tangents, wanted).run();
}

}  // namespace thunkvm
