#include "ops/graph/graph.h"

#include "ops/graph/replacements.h"
#include "thunks/interrupt.h"

#include <algorithm>
#include <unordered_map>

namespace thunkvm {
namespace {

struct Visit {
  Apply* node;
  std::uint32_t next_input;
};

}  // namespace

NodeIndex topological_order(std::span<const Variable> roots) {
  std::vector<Apply*> order;
  NodeTable positions;  // any but kAbsent for what was met
  std::vector<Visit> stack;
  const auto meet = [&](Apply* node) {
    std::uint32_t& position = positions[*node];
    if (position != NodeTable::kAbsent) return;
    position = 0;
    stack.push_back({node, 0});
  };
  for (const Variable& root : roots) {
    meet(root.node());
    while (!stack.empty()) {
      Visit& top = stack.back();
      if (top.next_input < top.node->n_inputs()) {
        meet(top.node->input(static_cast<int>(top.next_input++)).node());
        continue;
      }
      positions[*top.node] = static_cast<std::uint32_t>(order.size());
      order.push_back(top.node);
      stack.pop_back();
      poll_interrupt();
    }
  }
  return {std::move(order), std::move(positions)};
}

std::vector<Variable> leaves(std::span<const Variable> roots) {
  std::vector<Variable> found;
  for (Apply* node : topological_order(roots))
    if (node->leaf() != Leaf::None) found.push_back(node->output(0));
  return found;
}

namespace {

// Whether a variable's node was made just now: nobody but `outputs` holds it.
bool held_here_alone(const Variable& variable, std::span<const Variable> outputs) {
  const auto of_its_node = [&](const Variable& v) { return v.node() == variable.node(); };
  return std::count_if(outputs.begin(), outputs.end(), of_its_node) ==
         static_cast<std::ptrdiff_t>(variable.node()->references());
}

/// Whether both are arrays that differ in lengths alone: those that one of them knows.
bool differ_in_known_lengths(const Type& a, const Type& b) {
  const TensorType *const left = a.tensor(), *const right = b.tensor();
  return left != nullptr && right != nullptr && !a.equals(b) && left->dtype() == right->dtype() &&
         left->ndim() == right->ndim();
}

/// The outputs of a node that was made anew of equal inputs, with the lengths that `before` knows.
std::vector<Variable> with_lengths_of(Apply& before, std::vector<Variable> outputs) {
  std::vector<TypeRef> types;
  bool differs = false;
  for (std::uint32_t j = 0; j < before.n_outputs(); ++j) {
    const bool lost = differ_in_known_lengths(outputs[j].type(), before.output(j).type());
    differs = differs || lost;
    types.push_back(lost ? before.output(j).type_ref() : outputs[j].type_ref());
  }
  Apply& made = *outputs.front().node();
  if (!differs || made.op() != before.op() || made.n_outputs() != before.n_outputs())
    return outputs;
  return Apply::make(Ref<const Op>(made.op()), made.inputs(), types)->outputs();
}

/// `substitute`, by what makes a node anew of other inputs.
template <class Remake>
std::vector<Variable> substituted(std::span<const Variable> roots,
                                  std::span<const std::pair<Variable, Variable>> replacements,
                                  Remake remake) {
  const Replacements given(replacements);
  std::unordered_map<Variable, Variable, VariableHash> rebuilt;
  const auto resolve = [&](const Variable& v) -> Variable {
    const auto found = rebuilt.find(v);
    return found == rebuilt.end() ? v : found->second;
  };
  // Replacements may use replaced variables: in the order of this walk, a replaced variable comes
  // after what replaces it.
  std::vector<std::pair<Variable, bool>> stack;
  std::unordered_map<Apply*, bool> done;
  for (const Variable& root : roots) stack.emplace_back(root, false);
  while (!stack.empty()) {
    auto [v, expanded] = stack.back();
    stack.pop_back();
    if (const Variable* replacement = given.of(v)) {
      if (rebuilt.contains(v)) continue;
      if (expanded) {
        rebuilt.insert_or_assign(v, resolve(*replacement));
      } else {
        stack.emplace_back(v, true);
        stack.emplace_back(*replacement, false);
      }
      continue;
    }
    Apply* node = v.node();
    if (node->leaf() != Leaf::None || done.contains(node)) continue;
    if (!expanded) {
      stack.emplace_back(v, true);
      for (const Variable& input : node->inputs()) stack.emplace_back(input, false);
      continue;
    }
    done.emplace(node, true);
    std::vector<Variable> inputs;
    bool changed = false;
    for (const Variable& input : node->inputs()) {
      inputs.push_back(resolve(input));
      changed = changed || !(inputs.back() == input);
    }
    if (!changed) continue;
    poll_interrupt();
    const OriginOf scope(*node);
    const std::vector<Variable> outputs = remake(*node, inputs);
    for (std::uint32_t j = 0; j < node->n_outputs(); ++j) {
      // An Op may hand back what it was given, as a cast to the same dtype does: that has a name,
      // or none, of its own.
      if (!node->output(j).name().empty() && held_here_alone(outputs[j], outputs))
        outputs[j].set_name(node->output(j).name());
      if (!given.contains(node->output(j))) rebuilt.insert_or_assign(node->output(j), outputs[j]);
    }
  }
  std::vector<Variable> results;
  for (const Variable& root : roots) results.push_back(resolve(root));
  return results;
}

}  // namespace

std::vector<Variable> substitute(std::span<const Variable> roots,
                                 std::span<const std::pair<Variable, Variable>> replacements) {
  return substituted(roots, replacements, [](Apply& node, std::span<const Variable> inputs) {
    return node.op()->call(inputs);
  });
}

std::vector<Variable> substitute_equals(
    std::span<const Variable> roots, std::span<const std::pair<Variable, Variable>> replacements) {
  return substituted(roots, replacements, [](Apply& node, std::span<const Variable> inputs) {
    return with_lengths_of(node, node.op()->call(inputs));
  });
}

}  // namespace thunkvm
