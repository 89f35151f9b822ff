// test_shared_factors.cpp: the nodes that a Cholesky factor serves, and those that it does not.
#include "ops/control/conditional.h"
#include "ops/graph/functions.h"
#include "ops/graph/registry.h"
#include "ops/rewrites/rewrite.h"
#include "tests/cpp/inputs.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace thunkvm;

namespace {

std::vector<Variable> shared_factors(std::vector<Variable> outputs) {
  const std::string names[] = {"factors"};
  return rewrite({.outputs = std::move(outputs)}, names).graph.outputs;
}
Variable matrix() { return Variable::input(TensorType::of(DType::Float64, {-1, -1}), "a"); }

}  // namespace

TEST_CASE("a determinant and an inverse use the factor that is demanded beside them") {
  const Variable a = matrix();
  const std::vector<Variable> after =
      shared_factors({call_op("slogdet", {a}), call_op("cholesky", {a}), call_op("inv", {a})});
  CHECK(after[0].node()->op()->name() == "factored_slogdet");
  CHECK(after[2].node()->op()->name() == "factored_inv");
  CHECK(after[0].node()->input(1) == after[1]);
  CHECK(after[2].node()->input(1) == after[1]);
}

TEST_CASE("of two factors of one matrix the first serves the other, which says its triangle") {
  const Variable a = matrix();
  const std::vector<Variable> before = {call_op("cholesky", {a}, {{"lower", false}}),
                                        call_op("cholesky", {a}, {{"lower", true}})};
  const std::vector<Variable> after = shared_factors(before);
  CHECK(after[0] == before[0]);
  CHECK(after[1].node()->op()->name() == "factored_cholesky");
  CHECK(after[1].node()->input(1) == after[0]);
  CHECK(after[1].node()->op()->attributes().get<bool>("lower"));
  CHECK(!after[1].node()->op()->attributes().get<bool>("factor_lower"));
}

TEST_CASE("a factor that is demanded in an arm alone serves no node outside of it") {
  const Variable c = real("c"), a = matrix();
  const Variable zero = Variable::number(0.0),
                 factor = sum(call_op("cholesky", {a}), {0, 1}, false);
  const std::vector<Variable> arms[2] = {{zero}, {factor}};
  const Variable picked = conditional(c, Decoding::Truth, arms)[0];
  const std::vector<Variable> before = {call_op("slogdet", {a}), picked};
  const std::vector<Variable> after = shared_factors(before);
  CHECK(after[0] == before[0]);
  CHECK(after[1] == before[1]);
}

TEST_CASE("a factor of another matrix serves no determinant") {
  const Variable a = matrix(), b = matrix();
  const Variable logdet = call_op("slogdet", {a});
  CHECK(shared_factors({logdet, call_op("cholesky", {b})})[0] == logdet);
}

TEST_CASE("several nodes that compute LU factors of one matrix get one node of them") {
  const Variable a = matrix(), b = matrix();
  const std::vector<Variable> after =
      shared_factors({call_op("solve", {a, b}), call_op("det", {a}), call_op("inv", {b})});
  CHECK(after[0].node()->op()->name() == "solve_by_lu");
  CHECK(after[1].node()->op()->name() == "det_by_lu");
  CHECK(after[2].node()->op()->name() == "inv");
  CHECK(after[1].node()->input(1).node()->op()->name() == "lu_factors");
  CHECK(after[0].node()->input(2) == after[1].node()->input(1));
  CHECK(after[0].node()->input(3) == after[1].node()->input(2));
}

TEST_CASE("the transpose of a system is solved by the factors of its matrix") {
  const Variable a = matrix(), b = matrix();
  const Variable turned = transpose(a, {1, 0});
  const std::vector<Variable> after =
      shared_factors({call_op("solve", {a, b}), call_op("solve", {turned, b})});
  CHECK(after[1].node()->input(0) == a);
  CHECK(after[1].node()->op()->attributes().get<bool>("transposed"));
  CHECK(!after[0].node()->op()->attributes().get<bool>("transposed"));
  CHECK(after[0].node()->input(2) == after[1].node()->input(2));
}

TEST_CASE("a determinant of a transpose has factors of its own") {
  const Variable a = matrix();
  const Variable turned = call_op("det", {transpose(a, {1, 0})});
  CHECK(shared_factors({call_op("det", {a}), turned})[1] == turned);
}

TEST_CASE("nodes of a matrix that is known to be small keep factors of their own") {
  const auto all_of = [](std::int64_t rows) {
    const Variable a = Variable::input(TensorType::of(DType::Float64, {rows, -1}), "a");
    return shared_factors({call_op("det", {a}), call_op("inv", {a})})[0].node()->op()->name();
  };
  CHECK(all_of(9) == "det");
  CHECK(all_of(10) == "det_by_lu");
}
