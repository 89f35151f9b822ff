// test_placement.cpp: where nodes of small graphs are placed, and which branches are joined.
#include "linkers/schedule/joined_branches.h"
#include "linkers/schedule/placement.h"
#include "ops/control/conditional.h"
#include "ops/graph/functions.h"
#include "tests/cpp/inputs.h"
#include "tests/cpp/opaque_op.h"

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

namespace thunkvm {
namespace {

Variable integer(const char* name) {
  return Variable::input(TensorType::scalar(DType::Int64), name);
}

/// A graph with its placement, asked by variable.
class PlacedGraph {
 public:
  explicit PlacedGraph(std::vector<Variable> outputs)
      : outputs_(std::move(outputs)), graph_(topological_order(outputs_)) {
    for (std::uint32_t n = 0; n < graph_.nodes.size(); ++n) {
      const Apply& node = *graph_.nodes[n];
      if (node.leaf() == Leaf::None && node.op()->conditional() == nullptr)
        graph_.thunks[n] = node.op()->kernel(node);
    }
    for (const Variable& v : outputs_) graph_.outputs.push_back(graph_.value(v));
    placement_ = std::make_unique<Placement>(place(graph_));
    leaders_ = join_branches(graph_, *placement_);
  }

  Value value(const Variable& v) const { return graph_.value(v); }
  const Placement& placement() const { return *placement_; }
  const RegionTree& regions() const { return placement_->regions; }

  /// "unconditional in root/x=1", "memo under root", "on demand in root", "nowhere".
  std::string where(const Variable& v) const {
    const std::string home = path(placement_->home[value(v)]);
    switch (placement_->placed[value(v)]) {
      case Placed::No: return "nowhere";
      case Placed::Unconditional: return "unconditional in " + home;
      case Placed::Memoised: return "memo under " + home;
      case Placed::OnDemand: break;
    }
    return "on demand in " + home;
  }
  bool is_alias(const Variable& v, const Variable& of) const {
    return placement_->alias[value(v)] == value(of);
  }
  bool joined(const Variable& a, const Variable& b) const {
    return leaders_[value(a)] == leaders_[value(b)];
  }

 private:
  bool is_input_region(Region r) const {
    return regions().owner(r) != kNone && regions().owner(r) >= graph_.n_values();
  }
  std::string path(Region r) const {
    if (r == kRootRegion) return "root";
    const std::string up = path(regions().parent(r)) + "/";
    if (!regions().is_arm(r)) return up + (is_input_region(r) ? "input" : "memo");
    const Value selector = regions().selector(regions().key(r));
    const std::uint32_t node = graph_.node_of[selector];
    const Variable variable = graph_.nodes[node]->output(selector - graph_.first_value[node]);
    const std::string name(variable.name());
    return up + name + "=" + std::to_string(regions().arm(r));
  }

  std::vector<Variable> outputs_;
  FlatGraph graph_;
  std::unique_ptr<Placement> placement_;
  std::vector<Value> leaders_;
};

TEST_CASE("what every call demands runs at the root, what an arm demands runs in that arm") {
  const Variable c = real("c"), x = real("x");
  const Variable always = x + x, then = always * x, otherwise = always - x;
  const Variable y = ifelse(c, then, otherwise);
  const PlacedGraph g({y + always});
  CHECK(g.where(always) == "unconditional in root");
  CHECK(g.where(then) == "unconditional in root/c=1");
  CHECK(g.where(otherwise) == "unconditional in root/c=0");
  CHECK(g.where(y) == "unconditional in root");
}

TEST_CASE("what all arms of a switch demand is certain around it, what some of them do is not") {
  const Variable i = integer("i"), x = real("x");
  const Variable all = x + x, some = x * x;
  const auto arm = [](const Variable& v) { return std::vector{v}; };
  const std::vector<std::vector<Variable>> arms = {arm(all + some), arm(all - some), arm(all * x)};
  const PlacedGraph g({conditional(i, Decoding::IndexOrDefault, arms)[0]});
  CHECK(g.where(all) == "unconditional in root");
  CHECK(g.where(some) == "memo under root");
}

TEST_CASE(
    "two conditionals on one selector share their arms, and cover what they demand together") {
  const Variable c = real("c"), x = real("x");
  const Variable common = x + x, both = x * x;
  const Variable a = ifelse(c, common, both), b = ifelse(c, both, common);
  const Variable only_true = x - x, p = ifelse(c, only_true, x), q = ifelse(c, only_true * x, x);
  const PlacedGraph g({a, b, p, q});
  CHECK(g.where(common) == "unconditional in root");
  CHECK(g.where(both) == "unconditional in root");
  CHECK(g.where(only_true) == "unconditional in root/c=1");
  CHECK(g.regions().n_keys() == 1);
}

TEST_CASE("one selector that is decoded in two ways is decided twice") {
  const Variable i = integer("i"), x = real("x");
  const Variable common = x + x;
  const auto pick = [&](Decoding decoding, std::size_t n_arms) {
    std::vector<std::vector<Variable>> arms(n_arms, std::vector{x});
    arms[0][0] = common;
    return conditional(i, decoding, arms)[0];
  };
  const PlacedGraph g(
      {pick(Decoding::Truth, 2), pick(Decoding::Index, 2), pick(Decoding::Index, 3)});
  CHECK(g.regions().n_keys() == 3);
  CHECK(g.where(common) == "memo under root");
}

TEST_CASE("a conditional in an arm that decided its selector is that arm's value") {
  const Variable c = real("c"), x = real("x");
  const Variable then = x + x, never = x * x;
  const Variable inner = ifelse(c, then, never);
  const Variable outer = ifelse(c, inner * x, x);
  const PlacedGraph g({outer});
  CHECK(g.is_alias(inner, then));
  CHECK(g.where(then) == "unconditional in root/c=1");
  CHECK(g.where(never) == "nowhere");
}

TEST_CASE("an arm that computes nothing is an arm: and, or") {
  const Variable a = real("a"), b = real("b");
  const Variable costly = gt(b, a);
  for (const Variable& either : {lazy_or(a, costly), lazy_and(a, costly)}) {
    const PlacedGraph g({either});
    CHECK(g.where(either) == "unconditional in root");
    CHECK(g.where(costly) != "unconditional in root");
    CHECK(g.where(costly) != "nowhere");
  }
}

TEST_CASE("what is under a memo body hangs there, not where that hangs") {
  const Variable c = real("c"), d = real("d"), x = real("x");
  const Variable below = x + x, common = below * x, inner = ifelse(d, x - x, x);
  const Variable uncertain = common + inner;
  const PlacedGraph g({ifelse(c, uncertain, x), ifelse(d, uncertain, x)});
  CHECK(g.where(uncertain) == "memo under root");
  CHECK(g.where(common) == "unconditional in root/memo");
  CHECK(g.where(below) == "unconditional in root/memo");
}

TEST_CASE("an opaque node's inputs are regions of their own, and each of its outputs is a demand") {
  const Variable c = real("c"), x = real("x");
  const Variable first = x + x, second = x * x, common = x - x;
  const std::vector<Variable> inputs = {first + common, second + common};
  const std::vector<Variable> outputs = Ref<const Op>(new Opaque)->call(inputs);
  const PlacedGraph g({outputs[0], ifelse(c, outputs[1], x)});
  CHECK(g.where(outputs[0]) == "unconditional in root");
  CHECK(g.where(outputs[1]) == "unconditional in root/c=1");
  CHECK(g.where(first) == "unconditional in root/input");
  CHECK(g.where(second) == "unconditional in root/input");
  CHECK(g.where(common) == "memo under root");
}

TEST_CASE("an opaque output that two selectors demand is asked for at each use") {
  const Variable c = real("c"), d = real("d"), x = real("x");
  const std::vector<Variable> inputs = {x, x};
  const Variable lazy = Ref<const Op>(new Opaque)->call(inputs)[0];
  const PlacedGraph g({ifelse(c, lazy, x), ifelse(d, lazy, x)});
  CHECK(g.where(lazy) == "on demand in root");
}

TEST_CASE("branches on one selector are joined unless something between them touches the first") {
  const Variable c = real("c"), x = real("x");
  const Variable a = ifelse(c, x + x, x - x), b = ifelse(c, x * x, x / x);
  const PlacedGraph apart({a, b});
  CHECK(apart.joined(a, b));

  const Variable between = a + x, later = ifelse(c, between * x, between);
  const PlacedGraph touched({later});
  CHECK_FALSE(touched.joined(a, later));

  const Variable inside = ifelse(c, a * x, x);
  const PlacedGraph in_its_arms({a, inside});
  CHECK(in_its_arms.joined(a, inside));
}

TEST_CASE("a branch of three is not joined over what touches the first of them alone") {
  const Variable c = real("c"), x = real("x");
  const Variable a = ifelse(c, x + x, x - x), b = ifelse(c, x * x, x / x);
  const Variable of_a = a + x;  // between b and last; nothing there touches b
  const Variable last = ifelse(c, of_a * x, of_a);
  const PlacedGraph g({a, b, of_a, last});
  CHECK(g.joined(a, b));
  CHECK_FALSE(g.joined(a, last));
  CHECK_FALSE(g.joined(b, last));
}

TEST_CASE("a memo body between two branches touches what it reads") {
  const Variable c = real("c"), d = real("d"), x = real("x");
  const Variable a = ifelse(c, x + x, x - x);
  const Variable memo = a * x;
  const Variable p = ifelse(d, memo, x), q = ifelse(c, memo + p, p);
  const PlacedGraph g({p, q});
  CHECK(g.where(memo) == "memo under root");
  CHECK_FALSE(g.joined(a, q));
}

}  // namespace
}  // namespace thunkvm
