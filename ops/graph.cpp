#include "ops/graph.h"

#include "thunks/error.h"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/strong_components.hpp>

#include <algorithm>
#include <atomic>
#include <string>
#include <unordered_map>

namespace thunkvm {
namespace {

// Marks hold the walk's number in the upper half, so that no walk has to clear what an earlier one
// left.
std::uint64_t new_walk() {
  static std::atomic<std::uint32_t> walks{0};
  return static_cast<std::uint64_t>(walks.fetch_add(1) + 1) << 32;
}

struct Visit {
  Apply* node;
  std::uint32_t next_input;
};

using VariableMap = std::unordered_map<Variable, Variable, VariableHash>;

// The names of replaced variables that depend on each other: the first strongly connected component
// with an edge in it.
std::string find_cycle(std::span<const std::pair<Variable, Variable>> replacements) {
  using Digraph = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS>;
  Digraph graph(replacements.size());
  std::vector<bool> self(replacements.size(), false);
  for (std::size_t i = 0; i < replacements.size(); ++i) {
    const std::vector<Apply*> below = topological_order(std::span(&replacements[i].second, 1));
    for (std::size_t k = 0; k < replacements.size(); ++k) {
      if (std::find(below.begin(), below.end(), replacements[k].first.node()) == below.end())
        continue;
      boost::add_edge(i, k, graph);
      if (i == k) self[i] = true;
    }
  }
  std::vector<std::size_t> component(replacements.size());
  const std::size_t n = boost::strong_components(
      graph,
      boost::make_iterator_property_map(component.begin(), boost::get(boost::vertex_index, graph)));
  for (std::size_t c = 0; c < n; ++c) {
    std::vector<std::size_t> members;
    for (std::size_t i = 0; i < component.size(); ++i)
      if (component[i] == c) members.push_back(i);
    if (members.size() == 1 && !self[members.front()]) continue;
    std::string names;
    for (std::size_t i : members)
      names += (names.empty() ? "" : ", ") + replacements[i].first.text();
    return names;
  }
  return {};
}

}  // namespace

std::vector<Apply*> topological_order(std::span<const Variable> roots) {
  const std::uint64_t walk = new_walk();
  const std::uint64_t entered = walk | 0xffffffffu;
  std::vector<Apply*> order;
  std::vector<Visit> stack;
  for (const Variable& root : roots) {
    if ((root.node()->mark & ~std::uint64_t{0xffffffffu}) == walk) continue;
    root.node()->mark = entered;
    stack.push_back({root.node(), 0});
    while (!stack.empty()) {
      Visit& top = stack.back();
      if (top.next_input == top.node->n_inputs()) {
        top.node->mark = walk | order.size();
        order.push_back(top.node);
        stack.pop_back();
        continue;
      }
      Apply* input = top.node->input(static_cast<int>(top.next_input++)).node();
      if ((input->mark & ~std::uint64_t{0xffffffffu}) == walk) continue;
      input->mark = entered;
      stack.push_back({input, 0});
    }
  }
  return order;
}

std::vector<Variable> leaves(std::span<const Variable> roots) {
  std::vector<Variable> found;
  for (Apply* node : topological_order(roots))
    if (node->leaf() != Leaf::None) found.push_back(node->output(0));
  return found;
}

std::vector<Variable> substitute(std::span<const Variable> roots,
                                 std::span<const std::pair<Variable, Variable>> replacements) {
  if (const std::string cycle = find_cycle(replacements); !cycle.empty())
    throw Error(ErrorKind::Value,
                "the replacements form a cycle through " + cycle +
                    ": a variable cannot be replaced by something that depends on it");
  VariableMap given(replacements.begin(), replacements.end());
  // Replacements may use replaced variables, so walk until no replaced variable is left; the
  // absence of cycles ends it.
  VariableMap rebuilt;
  const auto resolve = [&](const Variable& v) -> Variable {
    const auto found = rebuilt.find(v);
    return found == rebuilt.end() ? v : found->second;
  };
  std::vector<Variable> all(roots.begin(), roots.end());
  for (const auto& [from, to] : replacements) all.push_back(to);
  // Order the replaced variables after what replaces them: rebuild in rounds over a topological
  // order in which a replaced variable counts as its replacement.
  std::vector<std::pair<Variable, bool>> stack;
  std::unordered_map<Apply*, bool> done;
  for (const Variable& root : roots) stack.emplace_back(root, false);
  while (!stack.empty()) {
    auto [v, expanded] = stack.back();
    stack.pop_back();
    if (const auto replaced = given.find(v); replaced != given.end()) {
      if (rebuilt.contains(v)) continue;
      if (expanded) {
        rebuilt.insert_or_assign(v, resolve(replaced->second));
      } else {
        stack.emplace_back(v, true);
        stack.emplace_back(replaced->second, false);
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
    const OriginOf scope(*node);
    const std::vector<Variable> outputs = node->op()->call(inputs);
    for (std::uint32_t j = 0; j < node->n_outputs(); ++j) {
      if (!node->output(j).name().empty()) outputs[j].set_name(node->output(j).name());
      if (!given.contains(node->output(j))) rebuilt.insert_or_assign(node->output(j), outputs[j]);
    }
  }
  std::vector<Variable> results;
  for (const Variable& root : roots) results.push_back(resolve(root));
  return results;
}

}  // namespace thunkvm
