// call_by_need.cpp: lowering without any analysis: every node is a body that runs when its value is
// first needed.
#include "linkers/lowering.h"

#include <vector>

namespace thunkvm {
namespace {

class ByNeed {
 public:
  ByNeed(const FlatGraph& graph, Assembler& assembler)
      : graph_(graph), a_(assembler), memo_of_(graph.n_values(), kNone) {}

  void run(bool keep) {
    for (Value v : graph_.outputs) demand(v);
    if (!keep) {
      std::vector<bool> kept(graph_.n_values(), false);
      for (Value v : graph_.outputs) kept[v] = true;
      for (Value v : graph_.watched)
        if (v != kNoIndex) kept[v] = true;
      std::vector<Value> all;
      for (Value v = 0; v < graph_.n_values(); ++v)
        if (!graph_.is_leaf(graph_.node_of[v]) && !kept[v]) all.push_back(v);
      a_.retire(all);
    }
    a_.halt();
    std::size_t lazy = 0;
    for (std::size_t m = 0; m < memos_.size() || lazy < a_.n_lazies();) {
      if (m < memos_.size()) {
        a_.memo_body(static_cast<std::uint32_t>(m));
        compute(memos_[m++]);
      } else {
        const std::uint32_t node = a_.lazy_node(lazy++);
        for (std::uint32_t i = 0; i < graph_.nodes[node]->n_inputs(); ++i) {
          a_.input_body(node, i);
          demand(input(node, i));
          a_.ret();
        }
      }
    }
  }

 private:
  Value input(std::uint32_t node, std::uint32_t i) const {
    return graph_.value(graph_.nodes[node]->input(static_cast<int>(i)));
  }

  void demand(Value v) {
    const std::uint32_t node = graph_.node_of[v];
    if (graph_.is_leaf(node)) return;
    if (graph_.opaque(node)) {
      a_.lazy(node, v - graph_.first_value[node]);
      return;
    }
    const Value unit = graph_.conditional(node) != nullptr ? v : graph_.first_value[node];
    if (memo_of_[unit] == kNone) {
      memo_of_[unit] = a_.new_memo(node);
      memos_.push_back(unit);
    }
    a_.need(memo_of_[unit]);
  }

  void compute(Value unit) {
    graph_.poll();
    const std::uint32_t node = graph_.node_of[unit];
    const Conditional* conditional = graph_.conditional(node);
    if (conditional == nullptr) {
      for (std::uint32_t i = 0; i < graph_.nodes[node]->n_inputs(); ++i) demand(input(node, i));
      a_.run(node, {});
      a_.ret();
      return;
    }
    demand(input(node, 0));
    const std::uint32_t branch = a_.branch(input(node, 0), false, conditional->decoding,
                                           conditional->n_arms, std::span(&node, 1));
    for (std::uint32_t arm = 0; arm < conditional->n_arms; ++arm) {
      a_.target(branch, arm);
      const Value from = input(node, conditional->arm_input(arm, unit - graph_.first_value[node]));
      demand(from);
      a_.move(unit, from, false, kNone);
      a_.ret();
    }
  }

  const FlatGraph& graph_;
  Assembler& a_;
  std::vector<std::uint32_t> memo_of_;
  std::vector<Value> memos_;
};

}  // namespace

void lower_by_need(const FlatGraph& graph, bool keep, Assembler& assembler) {
  ByNeed(graph, assembler).run(keep);
}

}  // namespace thunkvm
