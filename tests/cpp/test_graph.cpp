// test_graph.cpp: the symbolic graph: ownership, depth, order, substitution.
#include "ops/graph/functions.h"
#include "ops/graph/graph.h"
#include "ops/graph/node_index.h"
#include "tests/cpp/inputs.h"
#include "thunks/error.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <future>
#include <string>
#include <vector>

using namespace thunkvm;

TEST_CASE("a chain of a million nodes is built, ordered and released without recursion") {
  Variable y = real("x");
  for (int i = 0; i < 1'000'000; ++i) y = neg(y);
  CHECK(topological_order(std::span(&y, 1)).size() == 1'000'001);
  y = Variable();
}

TEST_CASE("every node comes after its inputs, and once") {
  const Variable x = real("x");
  const Variable a = x + x, b = a * x, c = a + b;
  const NodeIndex order = topological_order(std::span(&c, 1));
  CHECK(std::ranges::equal(order, std::vector{x.node(), a.node(), b.node(), c.node()}));
}

TEST_CASE("tensor types are interned while they live") {
  CHECK(TensorType::of(DType::Int8, {2, kUnknownLength}).get() ==
        TensorType::of(DType::Int8, {2, kUnknownLength}).get());
  CHECK(TensorType::of(DType::Int8, {2}).get() != TensorType::of(DType::Int8, {3}).get());
}

TEST_CASE("a type says what it is") {
  CHECK(TensorType::scalar(DType::Float64)->text() == "scalar float64");
  CHECK(TensorType::of(DType::Int32, {2, kUnknownLength})->text() == "matrix int32 (2, ?)");
  CHECK(TensorType::of_ndim(DType::Bool, 3)->text() == "tensor3 bool (?, ?, ?)");
}

TEST_CASE("replacing a variable rebuilds what depends on it and shares the rest") {
  const Variable x = real("x"), y = real("y"), z = real("z");
  const Variable untouched = neg(y);
  const Variable sum = exp(x) + untouched;
  const std::pair<Variable, Variable> replacement = {x, z};
  const Variable replaced = substitute(std::span(&sum, 1), std::span(&replacement, 1)).front();
  CHECK(replaced.node()->input(0).node()->input(0) == z);
  CHECK(replaced.node()->input(1) == untouched);
}

TEST_CASE("a replacement may use another replaced variable") {
  const Variable x = real("x"), y = real("y"), z = real("z");
  const std::pair<Variable, Variable> replacements[] = {{x, neg(y)}, {y, z}};
  const Variable root = exp(x);
  const Variable replaced = substitute(std::span(&root, 1), replacements).front();
  CHECK(replaced.node()->input(0).node()->input(0) == z);
}

TEST_CASE("a replaced variable hides what it was computed from") {
  const Variable x = real("x"), z = real("z");
  const Variable y = neg(x);
  // x becomes exp(y), and y no longer depends on x.
  const std::pair<Variable, Variable> replacements[] = {{x, exp(y)}, {y, z}};
  const Variable root = neg(x);
  const Variable replaced = substitute(std::span(&root, 1), replacements).front();
  const Variable argument = replaced.node()->input(0);
  CHECK(argument.node()->op()->name() == "exp");
  CHECK(argument.node()->input(0) == z);
}

TEST_CASE("only the replaced variables of a cycle are named") {
  const Variable x = real("x"), y = real("y"), z = real("z"), w = real("w");
  const std::pair<Variable, Variable> replacements[] = {{w, neg(x)}, {x, neg(exp(y))}, {y, x + z}};
  const Variable root = exp(z);
  CHECK_THROWS_WITH_AS(
      (void)substitute(std::span(&root, 1), replacements),
      "the replacements form a cycle, x -> y -> x: a variable cannot be replaced by something that "
      "depends on it",
      Error);
}

TEST_CASE("a cycle of replacements begins where it is entered") {
  const Variable x = real("x"), y = real("y"), z = real("z");
  const std::pair<Variable, Variable> replacements[] = {{x, exp(z)}, {y, neg(z)}, {z, x * y}};
  CHECK_THROWS_WITH_AS(
      (void)substitute(std::span(&x, 1), replacements),
      "the replacements form a cycle, x -> z -> x: a variable cannot be replaced by something that "
      "depends on it",
      Error);
}

TEST_CASE("a cycle of a million replacements is found without recursion") {
  std::vector<Variable> xs;
  for (int i = 0; i < 1'000'000; ++i) xs.push_back(real("x"));
  std::vector<std::pair<Variable, Variable>> replacements;
  for (std::size_t i = 0; i < xs.size(); ++i)
    replacements.emplace_back(xs[i], xs[(i + 1) % xs.size()]);
  CHECK_THROWS_AS((void)substitute(std::span(xs).first(1), replacements), Error);
  replacements.pop_back();
  CHECK(substitute(std::span(xs).first(1), replacements).front() == xs.back());
}

TEST_CASE("a variable cannot be replaced by itself") {
  const Variable x = real("x");
  const std::pair<Variable, Variable> replacement = {x, x};
  CHECK_THROWS_WITH_AS(
      (void)substitute(std::span(&x, 1), std::span(&replacement, 1)),
      "the replacements form a cycle, x -> x: a variable cannot be replaced by something that "
      "depends on it",
      Error);
}

TEST_CASE("replacements that depend on each other are an error that names them") {
  const Variable x = real("x"), y = real("y");
  const std::pair<Variable, Variable> replacements[] = {{x, neg(y)}, {y, neg(x)}};
  const Variable root = exp(x);
  CHECK_THROWS_WITH_AS(
      (void)substitute(std::span(&root, 1), replacements),
      "the replacements form a cycle, x -> y -> x: a variable cannot be replaced by something that "
      "depends on it",
      Error);
}

TEST_CASE("walks that take turns each find the positions of their own nodes") {
  const Variable x = real("x"), y = exp(x), z = log(y), other = real("other");
  const NodeIndex up = topological_order(std::span(&z, 1));
  const NodeIndex down({z.node(), y.node(), x.node()});
  for (int turn = 0; turn < 2; ++turn) {
    CHECK(up.of(*y.node()) == 1);
    CHECK(up.of(*z.node()) == 2);
    CHECK(down.of(*z.node()) == 0);
    CHECK(up.of(*x.node()) == 0);
    CHECK(down.of(*x.node()) == 2);
    CHECK(up.of(*other.node()) == NodeIndex::kAbsent);
    CHECK(topological_order(std::span(&y, 1)).size() == 2);
  }
}

TEST_CASE("a walk finds the position of each of many nodes, wherever in memory they lie") {
  std::vector<Variable> all{real("x")}, others{real("y")};
  for (int i = 0; i < 50'000; ++i) {
    all.push_back(neg(all.back()));
    others.push_back(exp(others.back()));
  }
  const NodeIndex order = topological_order(std::span(&all.back(), 1));
  REQUIRE(order.size() == all.size());
  std::size_t right = 0, absent = 0;
  for (std::uint32_t i = 0; i < all.size(); ++i) {
    right += order[i] == all[i].node() && order.of(*all[i].node()) == i;
    absent += !order.contains(*others[i].node());
  }
  CHECK(right == all.size());
  CHECK(absent == all.size());
}

TEST_CASE("threads may walk one graph at once, since a walk writes to no node") {
  Variable y = real("x");
  for (int i = 0; i < 10'000; ++i) y = neg(y);
  const auto size = [&] { return topological_order(std::span(&y, 1)).size(); };
  std::vector<std::future<std::size_t>> sizes;
  for (int thread = 0; thread < 4; ++thread) sizes.push_back(std::async(std::launch::async, size));
  for (auto& found : sizes) CHECK(found.get() == 10'001);
}

TEST_CASE("what stands for a node has its position, also after another walk") {
  const Variable x = real("x"), y = exp(x), form = log(x);
  NodeIndex nodes = topological_order(std::span(&y, 1));
  CHECK(!nodes.contains(*form.node()));
  nodes.add(*form.node(), 1);
  CHECK(nodes.of(*form.node()) == 1);
  const NodeIndex another = topological_order(std::span(&form, 1));
  CHECK(another.of(*form.node()) == 1);
  CHECK(nodes.of(*form.node()) == 1);
  CHECK(nodes.of(*y.node()) == 1);
}
