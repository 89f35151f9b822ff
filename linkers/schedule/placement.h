// placement.h: the region where each node runs, so that no node runs that nobody demands.
#pragma once

#include "ops/control/loop.h"
#include "ops/graph/graph.h"
#include "ops/graph/node_index.h"
#include "ops/graph/regions.h"
#include "thunks/thunk.h"

#include <cstdint>
#include <vector>

namespace thunkvm {

/// A value: output j of node n. Values are numbered so that each comes after its operands.
using Value = std::uint32_t;

/// The graph as placement sees it: nodes in topological order, values numbered through, thunks
/// chosen.
struct FlatGraph {
  /// Numbers the values of the nodes. The caller fills in thunks, outputs and conditional updates.
  explicit FlatGraph(NodeIndex nodes);

  NodeIndex nodes;                           ///< topological order, leaves included
  std::vector<std::uint32_t> first_value;    ///< by node; one more at the end
  std::vector<std::uint32_t> first_operand;  ///< by node, in `operands`; one more at the end
  std::vector<Value> operands;               ///< the inputs of nodes, in order
  std::vector<std::uint32_t> node_of;        ///< by value
  std::vector<const OpenLoopOp*> loops;      ///< by node; empty if there are none
  /// By node: the innermost loop (its node) in which it changes from step to step; kNone: none.
  /// Empty if there are no loops.
  std::vector<std::uint32_t> loop_of;
  std::vector<ThunkCode> thunks;  ///< by node; none for leaves, conditionals and loops
  std::vector<Value> outputs;     ///< demanded by the root: outputs, then updates
  /// Kept to the end in the calls that compute them; kNone: never computed.
  std::vector<Value> conditional_updates;

  Value value(const Variable& v) const { return first_value[nodes.of(*v.node())] + v.index(); }
  Value input(std::uint32_t node, std::uint32_t i) const {
    return operands[first_operand[node] + i];
  }
  std::span<const Value> inputs(std::uint32_t node) const {
    return std::span(operands).subspan(first_operand[node],
                                       first_operand[node + 1] - first_operand[node]);
  }
  std::uint32_t n_values() const { return first_value.back(); }
  bool is_leaf(std::uint32_t node) const { return nodes[node]->leaf() != Leaf::None; }
  const Conditional* conditional(std::uint32_t node) const {
    return is_leaf(node) ? nullptr : nodes[node]->op()->conditional();
  }
  /// The loop that a node is, or null.
  const OpenLoopOp* loop(std::uint32_t node) const { return loops.empty() ? nullptr : loops[node]; }
  /// The innermost loop, by its node, in which a node changes from step to step; kNone: none.
  std::uint32_t loop_around(std::uint32_t node) const {
    return loop_of.empty() ? kNone : loop_of[node];
  }
  bool opaque(std::uint32_t node) const { return thunks[node].lazy; }

 private:
  void find_loops();
};

/// One demand of a value: by the statement `by` (the value that names it), which runs in `region`.
struct Use {
  Region region;
  Value by;
  std::uint32_t next;  ///< the next use of the same value
};

/// A statement is named by a value: an eager node by its first output, a conditional by each of its
/// outputs, an opaque node by each output that is certain somewhere.
enum class Placed : std::uint8_t {
  No,             ///< nobody demands it, or it is a leaf
  Unconditional,  ///< a statement of its home region
  Memoised,       ///< a memo body under its home region, run at the first Need
  OnDemand,       ///< an output of an opaque node that each use demands
};

struct Placement {
  RegionTree regions;
  std::vector<Placed> placed;  ///< by value; all outputs of an eager node alike
  std::vector<Region>
      home;  ///< by value: the region where it is certain, or under which its memo body hangs
  std::vector<Region> runs_in;  ///< by value: the region of the statement that defines it (home, or
                                ///< the memo body's)
  std::vector<std::uint32_t>
      key;  ///< by value: a conditional's arms; kNone if an enclosing arm decides it
  std::vector<Value> alias;  ///< by value: the arm value of such a decided conditional; else kNone
  std::vector<std::uint32_t> first_use;  ///< by value, into `uses`
  std::vector<Use> uses;
  std::vector<Region>
      opaque_region;  ///< by node: the innermost region that all demands of an opaque node share
  std::vector<Region>
      input_region;  ///< by node: the region of an opaque node's input 0; the others follow
  std::vector<Region> loop_region;      ///< by node: of a loop; empty if there are none
  std::vector<std::uint32_t> test_key;  ///< by node: of a loop: the arms that its test opens

  /// Statements of each region in order: head by region, next by statement; kNone ends a list.
  std::vector<Value> first_statement;
  std::vector<Value> next_statement;
  /// The conditionals of each key in order, likewise.
  std::vector<Value> first_member;
  std::vector<Value> next_member;
};

/// Near-linear in nodes and edges.
Placement place(const FlatGraph& graph);

}  // namespace thunkvm
