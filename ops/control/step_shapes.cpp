#include "ops/control/step_shapes.h"

#include "ops/graph/extents.h"
#include "ops/graph/graph.h"
#include "ops/graph/node_index.h"

#include <algorithm>
#include <utility>

namespace thunkvm {

StepShapes::StepShapes(std::span<const Variable> leaves, std::span<const Extents> shapes) {
  for (std::size_t k = 0; k < leaves.size(); ++k) shapes_.emplace(leaves[k], shapes[k]);
}

const Extents& StepShapes::of(const Variable& value) {
  const auto known = shapes_.find(value);
  if (known != shapes_.end()) return known->second;
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

/// The length itself, or what is known of it where it is that of another value, as of what
/// `full(x.shape, 0.0)` makes.
Variable StepShapes::looked_up(const Variable& length) const {
  const AxisOf of = axis_of(length);
  const auto known = of.array ? shapes_.find(of.array) : shapes_.end();
  return known == shapes_.end() ? length : known->second[static_cast<std::size_t>(of.axis)];
}

/// Empty for a leaf.
std::vector<Extents> StepShapes::inferred(Apply& node) {
  if (node.leaf() != Leaf::None) return {};
  std::vector<Extents> inputs;
  for (const Variable& input : node.inputs()) inputs.push_back(shapes_.at(input));
  const LoopOp* const loop = closed_loop(node);
  if (loop == nullptr) return node.op()->infer_shape(node, inputs);
  // Of how many steps an inner loop keeps values only running it would tell.
  std::vector<Extents> outputs;
  for (const Variable& output : node.outputs()) outputs.push_back(extents_of(output));
  const std::vector<Variable> leaves = loop->body().leaves();
  std::vector<std::pair<Variable, Variable>> given;
  for (std::size_t k = 0; k < leaves.size(); ++k)
    given.emplace_back(leaves[k], node.input(static_cast<int>(k)));
  for (std::uint32_t i = 0; i < loop->body().collected.size(); ++i) {
    const Extents row = StepShapes(leaves, inputs).of(loop->body().collected[i]);
    std::ranges::copy(substitute(row, given), outputs[loop->outputs().collected(i)].begin() + 1);
  }
  return outputs;
}

std::vector<Extents> settled_lengths(const LoopBody& body, std::span<const Variable> inputs) {
  const std::vector<Variable> leaves = body.leaves();
  StepShapes outside({}, {});
  std::vector<Extents> lengths;
  for (const Variable& input : inputs) lengths.push_back(outside.of(input));
  // All are taken for settled, and those that a step changes then are not, until none is left.
  std::vector<Extents> settled = lengths;
  for (bool again = true; again;) {
    again = false;
    StepShapes step(leaves, lengths);
    for (std::size_t i = 0; i < body.states.size(); ++i) {
      if (has_known_lengths(body.states[i].type())) continue;
      const Extents& next = step.of(body.nexts[i]);
      for (std::size_t axis = 0; axis < next.size(); ++axis) {
        if (!settled[i][axis] || same_value(next[axis], settled[i][axis])) continue;
        settled[i][axis] = {};
        lengths[i][axis] = extents_of(body.states[i])[axis];
        again = true;
      }
    }
  }
  return settled;
}

}  // namespace thunkvm
