#include "ops/graph/replacements.h"

#include "ops/graph/graph.h"
#include "thunks/error.h"

#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/depth_first_search.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace thunkvm {
namespace {

using Vertex = std::uint32_t;
// The replaced variables, then the nodes; edges lead to what a vertex is computed from.
using Uses = boost::compressed_sparse_row_graph<boost::directedS, boost::no_property,
                                                boost::no_property, boost::no_property, Vertex>;

// Keeps the path of the first cycle, each vertex behind what it uses.
struct FirstCycle : boost::default_dfs_visitor {
  FirstCycle(std::vector<Vertex>& users, std::vector<Vertex>& cycle) : users(users), cycle(cycle) {}

  void tree_edge(Uses::edge_descriptor use, const Uses& uses) const {
    users[target(use, uses)] = source(use, uses);
  }
  void back_edge(Uses::edge_descriptor use, const Uses& uses) const {
    if (!cycle.empty()) return;
    cycle.push_back(source(use, uses));
    while (cycle.back() != target(use, uses)) cycle.push_back(users[cycle.back()]);
  }

  std::vector<Vertex>&users, &cycle;
};

std::vector<Vertex> first_cycle(const Uses& uses) {
  std::vector<Vertex> users(num_vertices(uses)), cycle;
  depth_first_search(uses, boost::visitor(FirstCycle(users, cycle)));
  std::ranges::reverse(cycle);
  return cycle;
}

}  // namespace

Replacements::Replacements(std::span<const std::pair<Variable, Variable>> pairs) : pairs_(pairs) {
  const auto n_pairs = static_cast<Vertex>(pairs.size());
  std::vector<Variable> values;
  for (Vertex i = 0; i < n_pairs; ++i) {
    index_.emplace(pairs[i].first, i);
    values.push_back(pairs[i].second);
  }
  const NodeIndex nodes = topological_order(values);
  const auto vertex = [&](const Variable& v) {
    const auto found = index_.find(v);
    return found == index_.end() ? n_pairs + nodes.of(*v.node()) : found->second;
  };
  std::vector<std::pair<Vertex, Vertex>> edges;
  for (Vertex i = 0; i < n_pairs; ++i) edges.emplace_back(i, vertex(values[i]));
  for (Vertex i = 0; i < nodes.size(); ++i)
    for (const Variable& input : nodes[i]->inputs()) edges.emplace_back(n_pairs + i, vertex(input));

  std::vector<Vertex> cycle = first_cycle(
      {boost::edges_are_sorted, edges.begin(), edges.end(), n_pairs + Vertex(nodes.size())});
  std::erase_if(cycle, [&](Vertex v) { return v >= n_pairs; });
  if (cycle.empty()) return;
  std::string path;
  for (const Vertex replaced : cycle) path += pairs[replaced].first.text() + " -> ";
  throw Error(ErrorKind::Value,
              "the replacements form a cycle, " + path + pairs[cycle.front()].first.text() +
                  ": a variable cannot be replaced by something that depends on it");
}

}  // namespace thunkvm
