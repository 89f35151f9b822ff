// graph.h: a whole function's graph, and walks over it.
#pragma once

#include "ops/graph/node_index.h"
#include "ops/graph/op.h"
#include "ops/graph/variable.h"

#include <span>
#include <utility>
#include <vector>

namespace thunkvm {

/// A shared variable's new value. With `if_computed` it is committed if something else demanded it,
/// and demands nothing.
struct Update {
  Ref<SharedValue> target;
  Variable value;
  bool if_computed = false;
};

/// The graph of a function: free variables in, values out, shared variables updated.
struct FunctionGraph {
  std::vector<Variable> inputs = {};
  std::vector<Variable> outputs = {};
  std::vector<Update> updates = {};
};

/// All nodes that the given variables depend on, leaves included, every node after its inputs:
/// depth-first post-order, as placement wants it. Iterative; linear. Asks the host now and then
/// whether to go on (`poll_interrupt`).
NodeIndex topological_order(std::span<const Variable> roots);

/// Free inputs, shared variables (and constants) below the given variables, in the order of first
/// use.
std::vector<Variable> leaves(std::span<const Variable> roots);

/// The graphs of `roots` with some variables replaced, wherever they are used; in replacements too.
/// Nodes that do not depend on a replaced variable are common to both graphs; the others are made
/// anew by their Ops, with the origins of the nodes that they stand for. Throws Error(Value) with
/// the path of a cycle if replacements depend on each other.
std::vector<Variable> substitute(std::span<const Variable> roots,
                                 std::span<const std::pair<Variable, Variable>> replacements);

/// As `substitute`, where each replacement has the value of the variable that it replaces: the
/// lengths that are known of a node's outputs are known of those that stand for them, though the
/// new inputs may no longer say them (a leaf does not tell how it was computed).
std::vector<Variable> substitute_equals(
    std::span<const Variable> roots, std::span<const std::pair<Variable, Variable>> replacements);

}  // namespace thunkvm
