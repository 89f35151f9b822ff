#include "ops/control/empty_history.h"

#include "ops/graph/extents.h"
#include "ops/graph/functions.h"
#include "ops/graph/node_index.h"

#include <algorithm>
#include <unordered_map>
#include <utility>
#include <vector>

namespace thunkvm {
namespace {

/// The states of a body, then its captures: what stands for the inputs of the loop's node.
std::vector<Variable> leaves_of(const LoopBody& body) {
  std::vector<Variable> leaves = body.states;
  leaves.insert(leaves.end(), body.captures.begin(), body.captures.end());
  return leaves;
}

/// The lengths of the values of a step, by the rules of their nodes.
class StepShapes {
 public:
  /// `shapes`: of the leaves of the body.
  StepShapes(const LoopBody& body, std::span<const Extents> shapes) {
    const std::vector<Variable> leaves = leaves_of(body);
    for (std::size_t k = 0; k < leaves.size(); ++k) shapes_.emplace(leaves[k], shapes[k]);
  }

  Extents of(const Variable& value) {
    const Variable roots[] = {value};
    for (Apply* node : topological_order(roots)) {
      if (shapes_.contains(node->output(0))) continue;
      std::vector<Extents> found = inferred(*node);
      for (std::uint32_t j = 0; j < node->n_outputs(); ++j) {
        Extents lengths = extents_of(node->output(j));
        for (std::size_t axis = 0; axis < lengths.size() && !found.empty(); ++axis)
          if (!known_extent(lengths[axis])) lengths[axis] = looked_up(found[j][axis]);
        shapes_.emplace(node->output(j), std::move(lengths));
      }
    }
    return shapes_.at(value);
  }

 private:
  /// The length itself, or what is known of it where it is that of another value, as of what
  /// `full(x.shape, 0.0)` makes.
  Variable looked_up(const Variable& length) const {
    const AxisOf of = axis_of(length);
    const auto known = of.array ? shapes_.find(of.array) : shapes_.end();
    return known == shapes_.end() ? length : known->second[static_cast<std::size_t>(of.axis)];
  }

  /// Empty for a leaf.
  std::vector<Extents> inferred(Apply& node) {
    if (node.leaf() != Leaf::None) return {};
    std::vector<Extents> inputs;
    for (const Variable& input : node.inputs()) inputs.push_back(shapes_.at(input));
    const LoopOp* const loop = closed_loop(node);
    if (loop == nullptr) return node.op()->infer_shape(node, inputs);
    // Of how many steps an inner loop keeps values only running it would tell.
    std::vector<Extents> outputs;
    for (const Variable& output : node.outputs()) outputs.push_back(extents_of(output));
    const std::vector<Variable> leaves = leaves_of(loop->body());
    std::vector<std::pair<Variable, Variable>> given;
    for (std::size_t k = 0; k < leaves.size(); ++k)
      given.emplace_back(leaves[k], node.input(static_cast<int>(k)));
    for (std::uint32_t i = 0; i < loop->body().collected.size(); ++i) {
      const Extents row = StepShapes(loop->body(), inputs).of(loop->body().collected[i]);
      std::ranges::copy(substitute(row, given), outputs[loop->outputs().collected(i)].begin() + 1);
    }
    return outputs;
  }

  std::unordered_map<Variable, Extents, VariableHash> shapes_;
};

/// Whether no loop and no node of a user's runs to compute the length, and none at all of which a
/// rule did not tell the lengths.
bool is_told(const Variable& length) {
  const Variable roots[] = {length};
  return std::ranges::all_of(topological_order(roots), [](const Apply* node) {
    if (node->leaf() != Leaf::None) return true;
    if (!node->op()->registered() && node->op()->conditional() == nullptr) return false;
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
    const std::vector<Variable> leaves = leaves_of(body);
    std::vector<Extents> shapes;
    std::vector<std::pair<Variable, Variable>> given;
    for (std::size_t k = 0; k < leaves.size(); ++k) {
      shapes.push_back(extents_of(leaves[k]));
      given.emplace_back(leaves[k], inputs[k]);
    }
    lengths = StepShapes(body, shapes).of(value);
    for (Variable& length : lengths)
      if (!is_told(length)) length = extent(0);
    lengths = substitute(lengths, given);
  }
  lengths.insert(lengths.begin(), extent(0));
  return full(shape_vector(lengths), Variable::number(false),
              static_cast<std::int64_t>(lengths.size()), value.dtype());
}

}  // namespace thunkvm
