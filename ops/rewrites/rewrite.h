// rewrite.h: exact rewrites of a function's graph: fewer nodes, the same values, no new demand.
//
// The contract of every rewrite:
//   - Values, bit for bit (of NaNs not the payload), dtypes, and the memory layout of arrays,
//     since BLAS and NumPy may add in another order if an array lies otherwise. One rewrite, that
//     of matrix factors, keeps values up to rounding.
//   - Laziness: a replacement demands nothing that the node did not. A value that nobody needs
//     any more is not computed, so its error does not occur.
//   - Nothing is evaluated: a rewrite looks at Ops, attributes, types and constants.
// With `if_computed` updates, the values that they wait for are demanded in the same calls as
// before.
#pragma once

#include "ops/graph/graph.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace thunkvm {

/// A node as rewrites see it: with inputs that have been rewritten already. They may differ from
/// those of `node`, but have the same types.
struct Candidate {
  const Apply& node;
  std::span<const Variable> inputs;
};

/// One kind of rewrite, for one walk over one graph. A rewrite looks at a node and at the nodes
/// below it, never at its users. So one walk in topological order leaves nothing to rewrite, if
/// each node is offered until no rewrite has a better form of it.
class Rewrite {
 public:
  virtual ~Rewrite() = default;
  virtual std::string_view name() const = 0;

  /// The replacement, which has the candidate's value: a variable below it, an output of a node
  /// that was `kept` before, or of a new node over such variables. Null: this rewrite has none. For
  /// a node of several outputs, output 0 of a node with a replacement for each. Constant time, but
  /// for work that all calls may share.
  virtual Variable replacement(const Candidate& candidate) = 0;

  /// Tells of a node that stays, since no rewrite replaces it; it has rewritten inputs.
  virtual void kept(Apply& /*node*/) {}

  /// False if a rewrite never makes an input unused.
  virtual bool drops_demand() const { return true; }
};

/// "merge": nodes of one registered Op (or conditionals of one form) with equal attributes and the
/// same inputs become one, which is demanded where any of them was. Constants of one type with
/// equal bits count as the same input. Nodes of users' Ops, and nodes with a destroy_map, stay.
std::unique_ptr<Rewrite> merge_rewrite();
/// "inverses": nodes that undo each other (neg, conj, invert, logical_not of bools; transposes,
/// which are composed; squeeze of the axes that expand_dims made) and neutral numbers: x * 1, x /
/// 1, x - 0, of integers x + 0 and x ** 1 too. Not float x + 0 (-0.0 + 0 is 0.0), not float x ** 1
/// (libmvec's last place), nothing of complex numbers but neg and conj. If x is no single number,
/// it has to come from an elementwise node, so that it lies in memory as the result did.
std::unique_ptr<Rewrite> inverses_rewrite();
/// "idempotents": a node goes whose input is a node of the same Op, if the second one changes
/// nothing: abs, floor, ceil, trunc, round. Not sign: that of a complex sign is off by a last
/// place.
std::unique_ptr<Rewrite> idempotents_rewrite();

struct Rewritten;
/// "factors": an Op of a matrix that could use a Cholesky factor of it gets the one that is there
/// anyway (`Algebra::is_factor`, `by_factor`): `slogdet`, `inv`, and another Cholesky factor. The
/// new node demands the factor, so this is done only where the factor is demanded whenever the node
/// is, by the regions of both or by all users of the node. A matrix that is not Hermitian has its
/// values as before, for the new node looks; of others they are the same up to rounding. No node
/// goes. Linear, and a bounded search for each node that could use a factor.
void share_factors(Rewritten& rewritten);

/// A rewrite, its name and its maker.
struct NamedRewrite {
  std::string_view name;
  std::string_view summary;
  std::unique_ptr<Rewrite> (*make)() = nullptr;
  /// Null where `make` is not: the rewrite of a whole graph, after all that look at single nodes.
  void (*whole)(Rewritten&) = nullptr;

  /// False if values may change in their last places.
  bool is_exact() const { return whole == nullptr; }
};
/// All of them, in the order in which they are asked.
std::span<const NamedRewrite> named_rewrites();

/// A rewritten graph.
struct Rewritten {
  FunctionGraph graph;
  /// The number of nodes that each requested rewrite removed. A node that nobody needs any more
  /// counts under the rewrite that took its last use.
  std::vector<std::pair<std::string_view, std::uint32_t>> removed;
  /// An output of a node of the given graph that a rewrite replaced, and its replacement.
  struct Replaced {
    std::string_view rewrite;
    Variable before, after;
  };
  /// In topological order of the given graph: the values above a wrong one come behind it.
  std::vector<Replaced> replaced = {};
};

/// Applies the named rewrites. Inputs stay, needed or not, and the given graph is not changed.
/// Nodes that are copied because an input changed keep names and origins; so do those that stand
/// for others. If an `if_computed` update waits for a node, only rewrites that drop no demand are
/// applied, and none to that node.
///
/// Iterative. About 0.2 us a node, and 0.1 kB of memory. Throws Error(Value) for a name that does
/// not exist.
Rewritten rewrite(const FunctionGraph& graph, std::span<const std::string> names);

}  // namespace thunkvm
