// test_array_derivatives.cpp: gradients, gradients of gradients, jacobians and batches of the Ops
// that are not elementwise.
#include "tests/cpp/derivatives.h"

#include <doctest/doctest.h>

using namespace thunkvm;

namespace {

using Inputs = std::vector<Variable>;
using Strings = std::vector<std::string>;

Variable vector(std::vector<std::int64_t> values) {
  return Variable::constant(Cell::of_array(vector_of<std::int64_t>(values)));
}

/// Symmetric and positive definite, whatever x.
Variable definite(const Variable& x) {
  const Variable n = call_op("length", {x}, {{"axis", std::int64_t{x.ndim() - 1}}});
  Axes axes;
  for (int axis = 0; axis < x.ndim(); ++axis) axes.push_back(axis);
  std::swap(axes[axes.size() - 1], axes[axes.size() - 2]);
  return add(matmul(x, transpose(x, axes)), call_op("eye", {n, n}));
}

}  // namespace

TEST_CASE("derivatives of reductions") {
  for (const char* op : {"sum", "mean", "prod", "max", "min", "var", "std"}) {
    const std::string name = op;
    check_derivatives(name, [&](const Inputs& x) { return call_op(name, {x[0]}); },
                      {scattered({2, 3})});
    check_derivatives(name + " over axis 0",
                      [&](const Inputs& x) { return call_op(name, {x[0]}, {{"axis", Axes{0}}}); },
                      {scattered({2, 3, 2})});
    check_derivatives(name + " over two axes, kept",
                      [&](const Inputs& x) {
                        return call_op(name, {x[0]}, {{"axis", Axes{-1, 0}}, {"keepdims", true}});
                      },
                      {scattered({2, 2, 3})});
  }
  check_derivatives("cumsum", [](const Inputs& x) { return call_op("cumsum", {x[0]}); },
                    {scattered({2, 3})});
  check_derivatives(
      "cumsum along 1",
      [](const Inputs& x) { return call_op("cumsum", {x[0]}, {{"axis", std::int64_t{1}}}); },
      {scattered({2, 3})});
}

TEST_CASE("cumprod has gradients where elements are zero, at any order") {
  const auto cumprod = [](const Inputs& x) { return call_op("cumprod", {x[0]}); };
  check_derivatives("no zero", cumprod, {vector_of<double>({2, 3, -1})});
  check_derivatives("one zero", cumprod, {vector_of<double>({2, 0, 3, -1})});
  check_derivatives("two zeros", cumprod, {vector_of<double>({2, 0, 0, -1})});
  check_derivatives(
      "along 1",
      [](const Inputs& x) { return call_op("cumprod", {x[0]}, {{"axis", std::int64_t{1}}}); },
      {scattered({2, 3})});
}

TEST_CASE("prod has gradients where elements are zero, at any order") {
  const auto prod = [](const Inputs& x) { return call_op("prod", {x[0]}); };
  check_derivatives("one zero", prod, {vector_of<double>({2, 0, 3, -1})});
  check_derivatives("two zeros", prod, {vector_of<double>({2, 0, 0, -1})});
  check_derivatives("all zeros", prod, {vector_of<double>({0, 0, 0})});
}

TEST_CASE("elements that share the maximum share its gradient") {
  const Variable x = tensor(DType::Float64, 1);
  const Variable slope = gradients(call_op("max", {x}), Inputs{x})[0];
  const Cell at = Cell::of_array(vector_of<double>({3, 1, 3}));
  CHECK(elements_of<double>(evaluate(slope, {{x, at}})) == std::vector<double>{0.5, 0.0, 0.5});
}

TEST_CASE("derivatives of shapes") {
  check_derivatives("reshape", [](const Inputs& x) { return reshape(x[0], vector({3, 2}), 2); },
                    {scattered({2, 3})});
  check_derivatives(
      "reshape of a transpose",
      [](const Inputs& x) { return reshape(transpose(x[0], {1, 0}), vector({-1}), 1); },
      {scattered({2, 3})});
  check_derivatives("broadcast_to",
                    [](const Inputs& x) { return broadcast_to(x[0], vector({2, 3, 2}), 3); },
                    {scattered({3, 1})});
  check_derivatives("unbroadcast",
                    [](const Inputs& x) { return unbroadcast(x[0], vector({3, 1}), 2); },
                    {scattered({2, 3, 2})});
  check_derivatives("transpose", [](const Inputs& x) { return transpose(x[0], {2, 0, 1}); },
                    {scattered({2, 3, 2})});
  check_derivatives("transpose in reverse",
                    [](const Inputs& x) { return call_op("transpose", {x[0]}); },
                    {scattered({2, 3, 2})});
  check_derivatives("expand_dims and squeeze",
                    [](const Inputs& x) { return squeeze(expand_dims(x[0], {0, -1}), {0}); },
                    {scattered({2, 3})});
  check_derivatives("concatenate",
                    [](const Inputs& x) {
                      return call_op("concatenate", {x[0], x[1], x[0]},
                                     {{"axis", std::int64_t{-1}}});
                    },
                    {scattered({2, 3}), scattered({2, 1})});
  check_derivatives(
      "stack",
      [](const Inputs& x) { return call_op("stack", {x[0], x[1]}, {{"axis", std::int64_t{1}}}); },
      {scattered({2, 3}), scattered({2, 3})});
  check_derivatives("stack of numbers",
                    [](const Inputs& x) { return call_op("stack", {x[0], mul(x[0], x[0])}); },
                    {array_of<double>({}, {0.7})});
}

TEST_CASE("derivatives of diagonals") {
  check_derivatives(
      "diagonal",
      [](const Inputs& x) { return call_op("diagonal", {x[0]}, {{"offset", std::int64_t{1}}}); },
      {scattered({2, 3})});
  check_derivatives("set_diagonal",
                    [](const Inputs& x) { return call_op("set_diagonal", {x[0], x[1]}); },
                    {scattered({2, 3}), scattered({2})});
  check_derivatives("trace", [](const Inputs& x) { return call_op("trace", {x[0]}); },
                    {scattered({3, 3})});
  check_derivatives(
      "diag", [](const Inputs& x) { return call_op("diag", {x[0]}, {{"k", std::int64_t{-1}}}); },
      {scattered({2})});
  check_derivatives(
      "tril", [](const Inputs& x) { return call_op("tril", {x[0]}, {{"k", std::int64_t{-1}}}); },
      {scattered({3, 3})});
  check_derivatives("triu", [](const Inputs& x) { return call_op("triu", {x[0]}); },
                    {scattered({3, 4})});
}

TEST_CASE("derivatives of indexing") {
  const auto index = [](Strings items) { return Attributes{{"index", std::move(items)}}; };
  const Variable one = Variable::number(std::int64_t{1});
  check_derivatives("an integer",
                    [&](const Inputs& x) { return call_op("subtensor", {x[0]}, index({"-1"})); },
                    {scattered({2, 3})});
  check_derivatives(
      "one element",
      [&](const Inputs& x) { return call_op("subtensor", {x[0], one}, index({"?", "0"})); },
      {scattered({2, 3})});
  check_derivatives("slices",
                    [&](const Inputs& x) {
                      return call_op("subtensor", {x[0], one}, index({"?:", "newaxis", "::-2"}));
                    },
                    {scattered({3, 4})});
  check_derivatives(
      "an ellipsis",
      [&](const Inputs& x) { return call_op("subtensor", {x[0]}, index({"...", "1"})); },
      {scattered({2, 2, 3})});
  check_derivatives(
      "set_subtensor",
      [&](const Inputs& x) { return call_op("set_subtensor", {x[0], x[1]}, index({":", "::2"})); },
      {scattered({2, 3}), scattered({2})});
  check_derivatives("inc_subtensor with a square of itself",
                    [&](const Inputs& x) {
                      return call_op("inc_subtensor", {x[0], mul(x[1], x[1])}, index({"1"}));
                    },
                    {scattered({2, 3}), array_of<double>({}, {0.6})});
  check_derivatives("take",
                    [&](const Inputs& x) {
                      return call_op("take", {x[0], vector({0, 2, 0, -1})},
                                     {{"axis", std::int64_t{1}}});
                    },
                    {scattered({2, 3})});
  check_derivatives("take of the flattened array",
                    [&](const Inputs& x) { return call_op("take", {x[0], vector({5, 5})}); },
                    {scattered({2, 3})});
  check_derivatives(
      "add_at", [&](const Inputs& x) { return call_op("add_at", {x[0], vector({1, 1}), x[1]}); },
      {scattered({2, 3}), scattered({2, 3})});
}

TEST_CASE("a batch of positions") {
  const Variable x = tensor(DType::Float64, 2), positions = tensor(DType::Int64, 1);
  const Variable taken = call_op("take", {x, positions}, {{"axis", std::int64_t{1}}});
  const Variable many = tensor(DType::Int64, 2), arrays = tensor(DType::Float64, 3);
  const Cell at = Cell::of_array(array_of<std::int64_t>({2, 2}, {0, 1, 2, 2}));
  const Batched one = vectorize(std::span(&taken, 1), Inputs{positions}, Inputs{many});
  CHECK(elements_of<double>(
            evaluate(one.roots[0], {{x, Cell::of_array(counted({2, 3}))}, {many, at}})) ==
        std::vector<double>{0, 1, 3, 4, 2, 2, 5, 5});
  const Batched both = vectorize(std::span(&taken, 1), Inputs{x, positions}, Inputs{arrays, many});
  CHECK(elements_of<double>(
            evaluate(both.roots[0], {{arrays, Cell::of_array(counted({2, 2, 3}))}, {many, at}})) ==
        std::vector<double>{0, 1, 3, 4, 8, 8, 11, 11});
}

TEST_CASE("derivatives of full and arange") {
  check_derivatives("full",
                    [](const Inputs& x) { return full(vector({2, 3}), x[0], 2, DType::Float64); },
                    {array_of<double>({}, {0.5})});
  const Variable start = tensor(DType::Float64, 0), step = tensor(DType::Float64, 0);
  const Variable numbers = call_op("arange", {start, Variable::number(10.0), step});
  const auto slopes = gradients(sum(numbers), Inputs{start, step});
  const Cell one = Cell::of(1.0), two = Cell::of(2.0);
  CHECK(evaluate(slopes[0], {{start, one}, {step, two}}).get<double>() == 5.0);
  CHECK(evaluate(slopes[1], {{start, one}, {step, two}}).get<double>() == 10.0);
}

TEST_CASE("derivatives of products") {
  const auto product = [](const Inputs& x) { return matmul(x[0], x[1]); };
  check_derivatives("vector, vector", product, {scattered({3}), scattered({3})});
  check_derivatives("matrix, vector", product, {scattered({2, 3}), scattered({3})});
  check_derivatives("vector, matrix", product, {scattered({3}), scattered({3, 2})});
  check_derivatives("matrix, matrix", product, {scattered({2, 3}), scattered({3, 2})});
  check_derivatives("stack, matrix", product, {scattered({2, 2, 3}), scattered({3, 2})});
  check_derivatives("matrix, stack", product, {scattered({2, 3}), scattered({2, 3, 2})});
  check_derivatives("stack, vector", product, {scattered({2, 2, 3}), scattered({3})});
  check_derivatives("vector, stack", product, {scattered({3}), scattered({2, 3, 2})});
  check_derivatives("stacks that broadcast", product,
                    {scattered({2, 1, 2, 3}), scattered({3, 3, 1})});
}

TEST_CASE("derivatives of solutions and factors") {
  const auto solve = [](const Inputs& x) { return call_op("solve", {definite(x[0]), x[1]}); };
  check_derivatives("solve, a vector", solve, {scattered({3, 3}), scattered({3})});
  check_derivatives("solve, a matrix", solve, {scattered({2, 2}), scattered({2, 3})});
  check_derivatives("solve, a stack and a vector", solve, {scattered({2, 2, 2}), scattered({2})});
  check_derivatives("solve, a matrix and a stack", solve,
                    {scattered({2, 2}), scattered({2, 2, 1})});
  for (const bool lower : {true, false})
    for (const bool transposed : {true, false})
      for (const bool unit : {true, false}) {
        const Attributes attrs{
            {"lower", lower}, {"transposed", transposed}, {"unit_diagonal", unit}};
        check_derivatives("solve_triangular",
                          [&](const Inputs& x) {
                            return call_op("solve_triangular", {definite(x[0]), x[1]}, attrs);
                          },
                          {scattered({2, 2}), scattered({2})});
      }
  // The gradient is that of the triangle that is read: of a matrix that is not symmetric, too.
  for (const bool lower : {true, false})
    check_derivatives(
        "cholesky",
        [&](const Inputs& x) { return call_op("cholesky", {x[0]}, {{"lower", lower}}); },
        {array_of<double>({3, 3}, {4, 1, 0.5, 0.9, 5, 1, 0.4, 0.8, 6})});
  check_derivatives("inv", [](const Inputs& x) { return call_op("inv", {definite(x[0])}); },
                    {scattered({2, 2})});
  check_derivatives("det", [](const Inputs& x) { return call_op("det", {definite(x[0])}); },
                    {scattered({2, 2, 2})});
}
