// test_ancestors.cpp: dominators of bodies and ancestors of regions, held against Boost.Graph's.
#include "ops/graph/regions.h"
#include "tests/cpp/verdict.h"
#include "vm/verify/body_graph.h"

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/dominator_tree.hpp>
#include <boost/graph/transitive_closure.hpp>
#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <random>
#include <vector>

namespace thunkvm {
namespace {

using namespace testing;
using testing::Index;

using Edges = boost::adjacency_list<boost::vecS, boost::vecS, boost::bidirectionalS>;

using Vertex = Edges::vertex_descriptor;
const Vertex kNobody = boost::graph_traits<Edges>::null_vertex();

/// Those of vertices that vertex 0 leads to. What it does not lead to gets no time: without times
/// of ours, Boost.Graph takes it for vertex 0.
std::vector<Vertex> immediate_dominators(const Edges& edges) {
  const auto n = num_vertices(edges);
  const auto index = get(boost::vertex_index, edges);
  const auto by_vertex = [&](auto& list) {
    return boost::make_iterator_property_map(list.begin(), index);
  };
  std::vector<std::size_t> times(n, std::numeric_limits<std::size_t>::max());
  std::vector<Vertex> parents(n, kNobody), by_time(n, kNobody), dominators(n, kNobody);
  boost::lengauer_tarjan_dominator_tree(edges, 0, index, by_vertex(times), by_vertex(parents),
                                        by_time, by_vertex(dominators));
  return dominators;
}

/// A program of memo bodies and lazy thunks, in which each body enters some of those that come
/// behind it in an order that their numbers do not tell. Nobody enters some of them.
std::shared_ptr<Program> random_bodies(std::mt19937& random) {
  constexpr Index kMemos = 6, kLazies = 3, kInputs = 2;
  ProgramBuilder b;
  const Index x = b.input("x");
  for (Index m = 0; m < kMemos; ++m) b.memo("memo");
  for (Index l = 0; l < kLazies; ++l) b.lazy("lazy", {x, x}, {b.reg("y")}, pass_on());
  std::vector<Index> order(kMemos + kLazies);
  std::iota(order.begin(), order.end(), 0);
  std::ranges::shuffle(order, random);
  const auto enter_some_behind = [&](std::size_t place) {
    for (std::size_t i = place; i < order.size(); ++i) {
      if (random() % 4 != 0) continue;
      order[i] < kMemos ? b.need(order[i]) : b.demand(order[i] - kMemos, 0);
    }
  };
  enter_some_behind(0);
  b.halt();
  for (std::size_t place = 0; place < order.size(); ++place) {
    const bool is_memo = order[place] < kMemos;
    for (Index input = 0; input < (is_memo ? 1 : kInputs); ++input) {
      is_memo ? b.memo_body(order[place]) : b.input_body(order[place] - kMemos, input);
      enter_some_behind(place + 1);
      b.ret();
    }
  }
  return b.build();
}

TEST_CASE("bodies come behind those that enter them") {
  std::mt19937 random(1);
  for (int trial = 0; trial < 300; ++trial) {
    const std::shared_ptr<Program> program = random_bodies(random);
    const BodyGraph bodies(*program);
    for (Entry from = 0; from < bodies.n_entries(); ++from) {
      CHECK(bodies.callers_first()[bodies.rank(from)] == from);
      for (const Entry to : bodies.callees(from)) CHECK(bodies.rank(from) < bodies.rank(to));
    }
  }
}

TEST_CASE("dominators of bodies are those of Lengauer and Tarjan") {
  std::mt19937 random(2);
  int n_inner = 0;  // dominated by more than the program's body
  for (int trial = 0; trial < 300; ++trial) {
    const std::shared_ptr<Program> program = random_bodies(random);
    const BodyGraph bodies(*program);
    Edges calls(bodies.n_entries());
    for (Entry from = 0; from < bodies.n_entries(); ++from)
      for (const Entry to : bodies.callees(from)) add_edge(from, to, calls);
    const std::vector<Vertex> dominator = immediate_dominators(calls);
    for (Entry inner = 0; inner < bodies.n_entries(); ++inner) {
      std::vector<bool> dominates(bodies.n_entries());
      dominates[0] = true;  // of what nobody enters too
      for (Vertex outer = inner; outer != kNobody; outer = dominator[outer])
        dominates[outer] = true;
      n_inner += std::ranges::count(dominates, true) > 2;
      for (Entry outer = 0; outer < bodies.n_entries(); ++outer) {
        CAPTURE(bodies.name(outer));
        CAPTURE(bodies.name(inner));
        CHECK(bodies.dominates(outer, inner) == dominates[outer]);
      }
    }
  }
  CHECK(n_inner > 300);
}

TEST_CASE("ancestors of regions are those of the transitive closure") {
  std::mt19937 random(3);
  for (int trial = 0; trial < 20; ++trial) {
    RegionTree tree;
    while (tree.n_regions() < 100) {
      // Under one of the last few, so that the tree is deep.
      const auto last = static_cast<Region>(tree.n_regions() - 1);
      const Region parent = last - std::min<std::uint32_t>(last, random() % 4);
      const auto number = static_cast<std::uint32_t>(tree.n_regions());
      if (random() % 2 == 0)
        tree.open_body(parent, number);
      else
        tree.open_arms(parent, number, Decoding::Truth, 2);
    }
    const auto n = static_cast<Region>(tree.n_regions());
    Edges down(n), below;
    for (Region r(1); r < n; ++r) add_edge(tree.parent(r), r, down);
    boost::transitive_closure(down, below);
    const auto is_ancestor = [&](Region a, Region r) { return a == r || edge(a, r, below).second; };
    for (Region a(0); a < n; ++a)
      for (Region b(0); b < n; ++b) {
        CHECK(tree.is_ancestor(a, b) == is_ancestor(a, b));
        const Region common = tree.lca(a, b);
        CHECK(is_ancestor(common, a));
        CHECK(is_ancestor(common, b));
        // No region below the lowest common ancestor is one too.
        if (a != common && b != common)
          CHECK(tree.child_towards(common, a) != tree.child_towards(common, b));
        if (a != b && is_ancestor(a, b)) {
          const Region child = tree.child_towards(a, b);
          CHECK(tree.parent(child) == a);
          CHECK(is_ancestor(child, b));
        }
      }
  }
}

}  // namespace
}  // namespace thunkvm
