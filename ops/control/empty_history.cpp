#include "ops/control/empty_history.h"

#include "ops/control/step_shapes.h"
#include "ops/graph/extents.h"
#include "ops/graph/functions.h"
#include "ops/graph/node_index.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace thunkvm {
namespace {

/// Whether no loop and no node of a user's runs to compute the length, and none at all of which a
/// rule did not tell the lengths.
bool is_told(const Variable& length) {
  const Variable roots[] = {length};
  return std::ranges::all_of(topological_order(roots), [](const Apply* node) {
    if (node->leaf() != Leaf::None) return true;
    if (!node->op()->is_plain() && node->op()->conditional() == nullptr) return false;
    return node->op()->shape_query() == nullptr || node->input(0).is_leaf();
  });
}

}  // namespace

Variable empty_history(const LoopBody& body, std::size_t i, std::span<const Variable> inputs) {
  const Variable& value = body.collected[i];
  if (has_known_lengths(value.type())) return {};
  Extents lengths;
  if (const auto state = std::ranges::find(body.nexts, value); state != body.nexts.end()) {
    lengths = extents_of(inputs[static_cast<std::size_t>(state - body.nexts.begin())]);
  } else {
    const std::vector<Variable> leaves = body.leaves();
    std::vector<Extents> shapes;
    std::vector<std::pair<Variable, Variable>> given;
    for (std::size_t k = 0; k < leaves.size(); ++k) {
      shapes.push_back(extents_of(leaves[k]));
      given.emplace_back(leaves[k], inputs[k]);
    }
    lengths = StepShapes(leaves, shapes).of(value);
    for (Variable& length : lengths)
      if (!is_told(length)) length = extent(0);
    lengths = substitute(lengths, given);
  }
  lengths.insert(lengths.begin(), extent(0));
  return zeros_of(lengths, value.dtype());
}

}  // namespace thunkvm
