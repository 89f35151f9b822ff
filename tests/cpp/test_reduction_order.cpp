// test_reduction_order.cpp: where reductions come in the order of a graph's nodes.
#include "linkers/reduction_order.h"
#include "ops/graph/functions.h"
#include "ops/graph/graph.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace thunkvm {
namespace {

Variable vector(const char* name) {
  return Variable::input(TensorType::of_ndim(DType::Float64, 1), name);
}
Variable scalar(const char* name) {
  return Variable::input(TensorType::scalar(DType::Float64), name);
}

/// The Ops of the nodes that these depend on, in the order that reduces early.
std::string order(std::vector<Variable> roots) {
  const NodeIndex nodes = reduced_early(topological_order(roots));
  std::string names;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    for (const Variable& input : nodes[i]->inputs()) CHECK(nodes.of(*input.node()) < i);
    if (nodes[i]->leaf() == Leaf::None) names += nodes[i]->op()->name() + " ";
  }
  return names;
}

TEST_CASE("a sum comes right after what it adds up") {
  const Variable x = vector("x"), y = exp(x);
  CHECK(order({log(y), sum(y)}) == "exp sum log ");
}

TEST_CASE("what only reductions read comes with them") {
  const Variable x = vector("x"), y = exp(x);
  CHECK(order({log(y), sum(y * y * 2.0)}) == "exp mul mul sum log ");
}

TEST_CASE("what others read too stays where it is, and so do its reductions") {
  const Variable x = vector("x"), y = exp(x), squares = y * y;
  CHECK(order({log(y), call_op("cumsum", {squares}), sum(squares)}) == "exp log mul sum cumsum ");
}

TEST_CASE("a reduction waits for all that it depends on") {
  const Variable x = vector("x"), y = exp(x), z = log(neg(y));
  CHECK(order({z, call_op("sin", {z}), sum(y * z)}) == "exp neg log mul sum sin ");
}

TEST_CASE("what is reduced of inputs alone stays behind what came before it") {
  const Variable x = vector("x"), c = scalar("c"), total = sum(x);
  CHECK(order({exp(c), sum(x * total)}) == "exp sum mul sum ");
  CHECK(order({exp(x), log(x), sum(x * total), total}) == "exp log sum mul sum ");
}

TEST_CASE("without reductions the order stays what it was") {
  const Variable x = vector("x"), y = exp(x);
  CHECK(order({call_op("sin", {y}), y * 2.0, log(y)}) == "exp sin mul log ");
}

}  // namespace
}  // namespace thunkvm
