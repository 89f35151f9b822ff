// factors.cpp: one factorisation of a matrix serves all nodes that could use it.
//
// A Cholesky factor is one that a node of the graph asks for, and two demands have to be known. It
// is used where it is computed in any case: by the regions of both (shape_demand.h), or since each
// node that demands the value demands the factor too. The second is seen in loops and attempts, of
// which the first knows nothing.
//
// LU factors are what `solve`, `det` and others compute by themselves. Several nodes of one matrix,
// or of its transpose, get one node of LU factors, and each demands it where it had computed them.
// So nothing is demanded that was not, in whatever arms the nodes are.
#include "ops/graph/registry.h"
#include "ops/rewrites/limits.h"
#include "ops/rewrites/rewrite.h"
#include "ops/rewrites/shape_demand.h"
#include "thunks/interrupt.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

namespace thunkvm {
namespace {

const Algebra* algebra_of(const Apply& node) {
  return node.op() != nullptr && node.op()->is_plain() ? &node.op()->proto()->algebra : nullptr;
}
bool is_factor(const Apply& node) {
  const Algebra* algebra = algebra_of(node);
  return algebra != nullptr && algebra->is_factor;
}
bool may_use_factor(const Apply& node) {
  const Algebra* algebra = algebra_of(node);
  return algebra != nullptr && !algebra->by_factor.empty();
}
/// The Op with the same outputs that gets the first two outputs of `lu_factors` of input 0 behind
/// the inputs; null for an Op that computes no LU factors. If it has the attributes `transposed`
/// and `conjugated`, it takes the matrix of which input 0 is the transpose or the conjugate.
const OpProto* form_by_lu(const Apply& node) {
  static const auto forms = [] {
    std::unordered_map<const OpProto*, const OpProto*> found;
    for (const std::string name : {"solve", "det", "slogdet", "inv", "cofactors"})
      found[&OpRegistry::proto(name)] = &OpRegistry::proto(name + "_by_lu");
    return found;
  }();
  const auto form = node.op() != nullptr ? forms.find(node.op()->proto()) : forms.end();
  return form == forms.end() ? nullptr : form->second;
}
bool is_lu(const Apply& node) {
  static const OpProto* const factoring = &OpRegistry::proto("lu_factors");
  return node.op() != nullptr && node.op()->proto() == factoring;
}

/// True for a node that exchanges the last two axes of its input.
bool is_matrix_transpose(const Apply& node) {
  const Algebra* algebra = algebra_of(node);
  if (algebra == nullptr || algebra->axes != Algebra::Axes::Ordered) return false;
  const auto ndim = static_cast<std::int64_t>(node.input(0).ndim());
  const auto given = node.op()->attributes().find<std::vector<std::int64_t>>("axes");
  if (ndim < 2 || !given) return ndim == 2;
  for (std::int64_t axis = 0; axis < ndim; ++axis) {
    const std::int64_t from = (*given)[static_cast<std::size_t>(axis)];
    const std::int64_t exchanged = axis < ndim - 2 ? axis : 2 * ndim - 3 - axis;
    if ((from < 0 ? from + ndim : from) != exchanged) return false;
  }
  return true;
}
bool is_conjugate(const Apply& node) {
  static const OpProto* const conjugation = &OpRegistry::proto("conj");
  return node.op() != nullptr && node.op()->proto() == conjugation;
}

/// The matrix whose LU factors serve a node that computes some, and how the node's own is made of
/// it.
struct FactoredMatrix {
  explicit FactoredMatrix(const Apply& node) : matrix(node.input(0)) {
    if (form_by_lu(node)->attr("transposed") == nullptr) return;
    for (;;) {
      const Apply& maker = *matrix.node();
      if (is_matrix_transpose(maker))
        transposed = !transposed;
      else if (is_conjugate(maker))
        conjugated = !conjugated;
      else
        return;
      matrix = maker.input(0);
    }
  }

  /// True if its rows are known to be so few that factors of its own cost less than a node.
  bool is_small() const {
    const StaticShape& shape = matrix.static_shape();
    const std::int64_t rows = std::max(shape.back(), shape[shape.size() - 2]);
    return rows >= 0 && rows < kSharedRows;
  }

  Variable matrix;
  bool transposed = false, conjugated = false;
};

std::vector<Variable> demanded_roots(const FunctionGraph& graph) {
  std::vector<Variable> roots = graph.outputs;
  for (const Update& update : graph.updates)
    if (!update.if_computed || update.value.is_leaf()) roots.push_back(update.value);
  return roots;
}

/// The users of each node, and the questions about them.
class Users {
 public:
  Users(std::span<const Variable> roots, const NodeIndex& nodes)
      : nodes_(nodes), users_(nodes.size()), is_root_(nodes.size(), false) {
    for (const Variable& root : roots) is_root_[nodes.of(*root.node())] = true;
    for (std::uint32_t i = 0; i < nodes.size(); ++i)
      for (const Variable& input : nodes[i]->inputs()) users_[nodes.of(*input.node())].push_back(i);
  }

  /// True if whatever demands node `i` demands node `factor` too. Looks at `kUsersAsked` nodes at
  /// most, and says no where these do not tell.
  bool all_demand(std::uint32_t i, std::uint32_t factor) const {
    std::unordered_map<std::uint32_t, bool> demands;  // by a node that has been asked
    std::vector<std::uint32_t> above{i};              // nodes of which each user has to
    for (std::size_t k = 0; k < above.size(); ++k) {
      if (is_root_[above[k]] || users_[above[k]].empty() || above.size() > kUsersAsked)
        return false;
      for (const std::uint32_t user : users_[above[k]]) {
        if (demands.contains(user)) continue;
        if (!(demands[user] = demands_certainly(user, factor))) above.push_back(user);
      }
    }
    return true;
  }

 private:
  /// Whether an eager node computes the other one, directly or through eager nodes.
  bool demands_certainly(std::uint32_t node, std::uint32_t wanted) const {
    std::vector<std::uint32_t> below{node};
    for (std::size_t k = 0; k < below.size() && below.size() <= kUsersAsked; ++k) {
      const Apply& apply = *nodes_[below[k]];
      if (below[k] == wanted) return true;
      const bool reads = apply.leaf() == Leaf::None && apply.op()->is_plain() &&
                         apply.op()->shape_query() == nullptr;
      if (!reads) continue;
      for (const Variable& input : apply.inputs()) {
        const std::uint32_t at = nodes_.of(*input.node());
        if (at >= wanted && std::ranges::find(below, at) == below.end()) below.push_back(at);
      }
    }
    return false;
  }

  const NodeIndex& nodes_;
  std::vector<std::vector<std::uint32_t>> users_;
  std::vector<bool> is_root_;
};

/// One graph, written anew from its leaves up.
class Sharing {
 public:
  Sharing(const FunctionGraph& graph, std::span<const Variable> roots, const NodeIndex& nodes)
      : nodes_(nodes),
        demand_(roots, nodes),
        users_(roots, nodes),
        now_(nodes.size()),
        waits_(nodes.size(), false) {
    for (const Update& update : graph.updates)
      if (update.if_computed && nodes.contains(*update.value.node()))
        waits_[nodes.of(*update.value.node())] = true;
  }

  void run(std::vector<Rewritten::Replaced>& replaced) {
    for (std::uint32_t i = 0; i < nodes_.size(); ++i)
      if (is_factor(*nodes_[i])) factors_[nodes_[i]->input(0)].push_back(i);
    for (std::uint32_t i = 0; i < nodes_.size(); ++i)
      if (const auto factor = factor_for(i)) served_.emplace(i, *factor);
    share_lu();
    if (served_.empty() && by_lu_.empty()) return;
    for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
      if (nodes_[i]->leaf() != Leaf::None) continue;
      poll_interrupt();
      renew(i);
      if (!served_.contains(i) && !by_lu_.contains(i)) continue;
      for (const Variable& before : nodes_[i]->outputs())
        replaced.push_back({"factors", before, now(before)});
    }
  }

  Variable now(const Variable& v) const {
    if (!nodes_.contains(*v.node())) return v;
    const Variable& form = now_[nodes_.of(*v.node())];
    return form ? Variable(form.node(), v.index()) : v;
  }

 private:
  bool is_there_with(std::uint32_t factor, std::uint32_t node) {
    return demand_.is_there_with(demand_.first_value(factor), node) ||
           users_.all_demand(node, factor);
  }

  /// The first factor of the node's matrix that is there whenever the node runs. Of two factors
  /// that are there with each other the first one serves the second.
  std::optional<std::uint32_t> factor_for(std::uint32_t i) {
    Apply& node = *nodes_[i];
    if (!may_use_factor(node) || waits_[i]) return std::nullopt;
    const auto known = factors_.find(node.input(0));
    if (known == factors_.end()) return std::nullopt;
    for (const std::uint32_t factor : known->second) {
      if (factor == i || served_.contains(factor) || !is_there_with(factor, i)) continue;
      if (factor > i && is_factor(node) && is_there_with(i, factor)) continue;
      return factor;
    }
    return std::nullopt;
  }

  /// Finds the nodes of one matrix that compute LU factors, if they are several.
  void share_lu() {
    std::unordered_map<Variable, std::size_t, VariableHash> users;
    for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
      if (waits_[i]) continue;
      if (is_lu(*nodes_[i])) lu_.emplace(nodes_[i]->input(0), nodes_[i]->output(0));
      if (form_by_lu(*nodes_[i]) == nullptr || served_.contains(i)) continue;
      const FactoredMatrix factored(*nodes_[i]);
      if (factored.is_small()) continue;
      ++users[factored.matrix];
      by_lu_.emplace(i, factored);
    }
    std::erase_if(by_lu_, [&](const auto& use) {
      const Variable& matrix = use.second.matrix;
      return users[matrix] + lu_.count(matrix) < 2;
    });
  }

  void renew(std::uint32_t i) {
    Apply& node = *nodes_[i];
    if (now_[i]) return;
    if (const auto use = by_lu_.find(i); use != by_lu_.end()) {
      now_[i] = by_lu(node, use->second);
      return;
    }
    if (const auto served = served_.find(i); served != served_.end()) {
      // It depends on the same matrix alone, so it can be there before its place in the order.
      renew(served->second);
      now_[i] = by_factor(node, *nodes_[served->second]);
      return;
    }
    const auto changed = [&](const Variable& v) { return now(v) != v; };
    if (std::ranges::none_of(node.inputs(), changed)) return;
    std::vector<Variable> inputs;
    for (const Variable& input : node.inputs()) inputs.push_back(now(input));
    now_[i] = {Apply::copy(node, inputs), 0};
  }

  Variable by_factor(Apply& node, Apply& factor) {
    const OriginOf scope(node);
    const std::string& name = node.op()->proto()->algebra.by_factor;
    Attributes attrs;
    const auto pass = [&](const Op& op, const std::string& prefix) {
      for (const auto& [key, value] : op.attributes().values())
        if (OpRegistry::proto(name).attr(prefix + key) != nullptr) attrs.set(prefix + key, value);
    };
    pass(*node.op(), "");
    pass(*factor.op(), "factor_");
    std::vector<Variable> inputs;
    for (const Variable& input : node.inputs()) inputs.push_back(now(input));
    inputs.push_back(now(factor.output(0)));
    return call_op(name, inputs, attrs);
  }

  /// Output 0 of the LU factors of a matrix, by the first node that needs them.
  Variable lu_of(const Variable& matrix) {
    const auto known = lu_.find(matrix);
    if (known == lu_.end()) return lu_[matrix] = call_op("lu_factors", {now(matrix)});
    // It depends on the same matrix alone, so it can be there before its place in the order.
    if (nodes_.contains(*known->second.node())) renew(nodes_.of(*known->second.node()));
    return now(known->second);
  }

  Variable by_lu(Apply& node, const FactoredMatrix& factored) {
    const OriginOf scope(node);
    const OpProto& form = *form_by_lu(node);
    Attributes attrs;
    if (form.attr("transposed") != nullptr) {
      attrs.set("transposed", factored.transposed);
      attrs.set("conjugated", factored.conjugated);
    }
    const Variable packed = lu_of(factored.matrix);
    std::vector<Variable> inputs = {now(factored.matrix)};
    for (std::uint32_t k = 1; k < node.n_inputs(); ++k)
      inputs.push_back(now(node.input(static_cast<int>(k))));
    inputs.push_back(packed);
    inputs.push_back(Variable(packed.node(), 1));
    return call_op(form.name, inputs, attrs);
  }

  const NodeIndex& nodes_;
  ShapeDemand demand_;
  Users users_;
  std::unordered_map<Variable, std::vector<std::uint32_t>, VariableHash> factors_;  // by matrix
  std::unordered_map<std::uint32_t, std::uint32_t> served_;  // by node: the factor that it uses
  std::unordered_map<Variable, Variable, VariableHash> lu_;  // by matrix: output 0 of its factors
  std::unordered_map<std::uint32_t, FactoredMatrix> by_lu_;  // by node: what it uses
  std::vector<Variable> now_;  // by node: output 0 of what it is now; null: itself
  std::vector<bool> waits_;    // by node: an if_computed update waits for it
};

}  // namespace

void share_factors(Rewritten& rewritten) {
  const std::vector<Variable> roots = demanded_roots(rewritten.graph);
  const NodeIndex nodes = topological_order(roots);
  const auto may_share = [](const Apply* node) {
    return is_factor(*node) || form_by_lu(*node) != nullptr;
  };
  if (std::ranges::none_of(nodes, may_share)) return;
  Sharing sharing(rewritten.graph, roots, nodes);
  sharing.run(rewritten.replaced);
  for (Variable& output : rewritten.graph.outputs) output = sharing.now(output);
  for (Update& update : rewritten.graph.updates) update.value = sharing.now(update.value);
}

}  // namespace thunkvm
