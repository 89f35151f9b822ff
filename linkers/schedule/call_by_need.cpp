// call_by_need.cpp: lowering without any analysis: every node is a memo body that runs when its
// value is first needed.
#include "linkers/schedule/lowering.h"
#include "linkers/schedule/schedule_builder.h"
#include "thunks/interrupt.h"

#include <algorithm>
#include <functional>
#include <vector>

namespace thunkvm {
namespace {

class ByNeed {
 public:
  ByNeed(const FlatGraph& graph, bool retain_intermediates)
      : graph_(graph),
        retain_intermediates_(retain_intermediates),
        b_(graph, retain_intermediates),
        memo_of_(graph.n_values(), kNone) {}

  Schedule run(const FunctionGraph& function) {
    if (!retain_intermediates_) find_computed();
    b_.begin_root();
    for (Value v : graph_.outputs) demand(v);
    if (!retain_intermediates_) {
      std::vector<bool> kept(graph_.n_values(), false);
      for (Value v : graph_.outputs) kept[v] = true;
      for (Value v : graph_.conditional_updates)
        if (v != kNone) kept[v] = true;
      std::vector<Value> all = computed_in(kNone);
      std::erase_if(all, [&](Value v) { return kept[v]; });
      b_.retire(all);
    }
    b_.end();
    std::uint32_t lazy = 0;
    for (std::size_t m = 0, l = 0;
         m < memos_.size() || lazy < b_.n_lazies() || l < loops_.size();) {
      if (l < loops_.size()) {
        step_of(loops_[l++]);
      } else if (m < memos_.size()) {
        b_.begin_memo(static_cast<std::uint32_t>(m), kNone);
        compute(memos_[m++]);
        b_.end();
      } else {
        const std::uint32_t node = b_.lazy_node(lazy++);
        for (std::uint32_t i = 0; i < graph_.nodes[node]->n_inputs(); ++i) {
          b_.begin_input(node, i, kNone);
          demand(graph_.input(node, i));
          b_.end();
        }
      }
    }
    return b_.finish(function);
  }

 private:
  /// What some call may compute: a conditional's outputs each by itself, those of other nodes
  /// together.
  void find_computed() {
    computed_.resize(graph_.n_values());
    for (Value v : graph_.outputs) computed_[v] = true;
    for (auto node = static_cast<std::uint32_t>(graph_.nodes.size()); node-- > 0;) {
      const Value first = graph_.first_value[node], last = graph_.first_value[node + 1];
      const Conditional* conditional = graph_.conditional(node);
      if (conditional == nullptr) {
        if (std::none_of(computed_.begin() + first, computed_.begin() + last, std::identity()))
          continue;
        std::fill(computed_.begin() + first, computed_.begin() + last, true);
        for (const Value v : graph_.inputs(node)) computed_[v] = true;
        continue;
      }
      for (Value v = first; v < last; ++v) {
        if (!computed_[v]) continue;
        computed_[graph_.input(node, 0)] = true;
        for (std::uint32_t arm = 0; arm < conditional->n_arms; ++arm)
          computed_[graph_.input(node, conditional->arm_input(arm, v - first))] = true;
      }
    }
  }

  /// The values of a loop's steps, or of none, by the loop's node.
  std::vector<Value> computed_in(std::uint32_t loop) const {
    std::vector<Value> values;
    for (Value v = 0; v < graph_.n_values(); ++v)
      if (computed_[v] && !graph_.is_leaf(graph_.node_of[v]) &&
          graph_.loop_around(graph_.node_of[v]) == loop)
        values.push_back(v);
    return values;
  }

  void demand(Value v) {
    const std::uint32_t node = graph_.node_of[v];
    if (graph_.is_leaf(node)) return;
    if (graph_.opaque(node)) {
      b_.demand(node, v - graph_.first_value[node]);
      return;
    }
    const Value group = graph_.conditional(node) != nullptr ? v : graph_.first_value[node];
    if (memo_of_[group] == kNone) {
      memo_of_[group] = b_.new_memo(node);
      memos_.push_back(group);
    }
    b_.need(memo_of_[group]);
  }

  void compute(Value group) {
    poll_interrupt();
    const std::uint32_t node = graph_.node_of[group];
    const Conditional* conditional = graph_.conditional(node);
    if (graph_.loop(node) != nullptr) {
      b_.loop(node);
      loops_.push_back(node);
      return;
    }
    if (conditional == nullptr) {
      for (std::uint32_t i = 0; i < graph_.nodes[node]->n_inputs(); ++i)
        demand(graph_.input(node, i));
      b_.run(node);
      return;
    }
    demand(graph_.input(node, 0));
    const std::uint32_t branch = b_.branch(graph_.input(node, 0), conditional->decoding,
                                           conditional->n_arms, std::span(&group, 1));
    for (std::uint32_t arm = 0; arm < conditional->n_arms; ++arm) {
      b_.begin_arm(branch, arm);
      const Value from =
          graph_.input(node, conditional->arm_input(arm, group - graph_.first_value[node]));
      demand(from);
      b_.move(group, from, kNone);
      b_.end();
    }
  }

  void step_of(std::uint32_t node) {
    const OpenLoopOp& loop = *graph_.loop(node);
    std::vector<Value> all, all_and_states;
    if (!retain_intermediates_) {
      all = all_and_states = computed_in(node);
      for (std::uint32_t i = 0; i < loop.n_states(); ++i)
        all_and_states.push_back(graph_.input(node, loop.state(i)));
    }
    b_.begin_loop(node, kNone);
    demand(graph_.input(node, loop.test()));
    const std::uint32_t branch = b_.loop_branch(node);
    b_.begin_arm(branch, 0);
    for (std::uint32_t j = 0; j < loop.n_left(); ++j) demand(graph_.input(node, loop.left(j)));
    b_.leave(node);
    b_.retire(all_and_states);
    b_.end();
    b_.begin_arm(branch, 1);
    for (std::uint32_t i = 0; i < loop.n_states(); ++i) demand(graph_.input(node, loop.next(i)));
    b_.move_on(node);
    b_.retire(all);
    b_.again(node);
    b_.end();
    b_.end();
  }

  const FlatGraph& graph_;
  const bool retain_intermediates_;
  ScheduleBuilder b_;
  std::vector<bool> computed_;          // by value; empty where nothing is retired
  std::vector<std::uint32_t> memo_of_;  // by value
  std::vector<Value> memos_;
  std::vector<std::uint32_t> loops_;  // nodes
};

}  // namespace

Schedule lower_by_need(const FunctionGraph& function, const FlatGraph& graph,
                       bool retain_intermediates) {
  return ByNeed(graph, retain_intermediates).run(function);
}

}  // namespace thunkvm
