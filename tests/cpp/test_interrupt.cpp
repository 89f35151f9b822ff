// test_interrupt.cpp: the host ends work that is no call, and long kernels, and may walk graphs
// while it is asked.
#include "linkers/linker.h"
#include "ops/gradient/gradient.h"
#include "ops/graph/functions.h"
#include "ops/kernels/stretches.h"
#include "ops/rewrites/rewrite.h"
#include "tests/cpp/arrays.h"
#include "tests/cpp/evaluate.h"
#include "thunks/interrupt.h"
#include "vm/disassembler.h"

#include <doctest/doctest.h>

#include <numeric>
#include <string>
#include <utility>
#include <vector>

using namespace thunkvm;

namespace {

constexpr int kNodes = 3000;

struct Stop {};

/// The hook that the rest of a test has.
class Hook {
 public:
  explicit Hook(void (*hook)()) { set_interrupt_hook(hook); }
  ~Hook() { set_interrupt_hook(nullptr); }
};

/// x + 1, + 2, ...; each sum is another node for every rewrite.
Variable chain(const Variable& x) {
  Variable y = x;
  for (int i = 0; i < kNodes; ++i) y = call_op("add", {y, Variable::number(1.0 + i)});
  return y;
}

struct Chain {
  Variable x = Variable::input(TensorType::scalar(DType::Float64), "x");
  Variable y = chain(x);
};

LinkOptions kernels(bool placed) {
  LinkOptions options;
  options.placed = placed;
  options.sources = {native_thunk};
  return options;
}

/// A host that stops a call when it is asked for the first time.
class Stopping final : public Host {
 public:
  bool interrupted() override { return true; }
};

}  // namespace

TEST_CASE("the host ends the building of a gradient") {
  const Chain graph;
  const Hook hook([] { throw Stop{}; });
  CHECK_THROWS_AS(gradients(graph.y, std::span(&graph.x, 1)), Stop);
}

TEST_CASE("the host ends the building of a batch") {
  const Chain graph;
  const Variable rows = Variable::input(TensorType::of(DType::Float64, {kUnknownLength}), "rows");
  const Hook hook([] { throw Stop{}; });
  CHECK_THROWS_AS(vectorize(std::span(&graph.y, 1), std::span(&graph.x, 1), std::span(&rows, 1)),
                  Stop);
}

TEST_CASE("the host ends the replacing of variables") {
  const Chain graph;
  const std::pair<Variable, Variable> replacement = {
      graph.x, Variable::input(TensorType::scalar(DType::Float64), "z")};
  const Hook hook([] { throw Stop{}; });
  CHECK_THROWS_AS(substitute(std::span(&graph.y, 1), std::span(&replacement, 1)), Stop);
}

TEST_CASE("the host ends rewriting") {
  const Chain graph;
  const std::vector<std::string> names = {"merge"};
  const Hook hook([] { throw Stop{}; });
  CHECK_THROWS_AS(rewrite({.outputs = {graph.y}}, names), Stop);
}

TEST_CASE("the host ends linking") {
  const Chain graph;
  const Hook hook([] { throw Stop{}; });
  for (const bool placed : {true, false})
    CHECK_THROWS_AS(link({.inputs = {graph.x}, .outputs = {graph.y}}, kernels(placed)), Stop);
}

TEST_CASE("a host that walks the graph while it is asked changes neither rewrites nor programs") {
  const Chain graph;
  static const Variable* walked = nullptr;
  static int walks = 0;
  walked = &graph.y;
  const auto build = [&] {
    const std::vector<std::string> names = {"merge", "inverses"};
    const Variable twice = call_op("mul", {graph.y, chain(graph.x)});
    const Rewritten rewritten = rewrite({.inputs = {graph.x}, .outputs = {twice}}, names);
    std::string text;
    for (const bool placed : {true, false})
      text += disassemble(*link(rewritten.graph, kernels(placed)).program);
    return text;
  };
  const std::string expected = build();
  walks = 0;
  static bool is_asked = false;
  const Hook hook([] {
    if (is_asked) return;  // by the walk below
    is_asked = true;
    ++walks;
    const Variable& part = walked->node()->input(0);
    topological_order(std::span(&part, 1));
    is_asked = false;
  });
  CHECK(build() == expected);
  CHECK(walks > 5);
}

TEST_CASE("the host ends the ordering of a graph, and may walk it while it is asked") {
  static Variable sum;  // x + x + ..., so that x is met again and again
  const Variable x = Variable::input(TensorType::scalar(DType::Float64), "x");
  sum = x;
  for (int i = 0; i < kNodes; ++i) sum = call_op("add", {sum, x});
  const NodeIndex expected = topological_order(std::span(&sum, 1));
  REQUIRE(expected.size() == kNodes + 1);
  {
    static bool is_asked = false;
    const Hook hook([] {
      if (std::exchange(is_asked, true)) return;  // by the walk below
      const Variable& part = sum.node()->input(0);
      topological_order(std::span(&part, 1));
      is_asked = false;
    });
    CHECK(std::ranges::equal(topological_order(std::span(&sum, 1)), expected));
  }
  const Hook hook([] { throw Stop{}; });
  CHECK_THROWS_AS(topological_order(std::span(&sum, 1)), Stop);
}

TEST_CASE("work in stretches covers every index once, whatever an index weighs") {
  Host host;
  for (const std::int64_t weight : {std::int64_t{0}, std::int64_t{1}, kStretch / 2, kStretch * 2}) {
    std::int64_t next = 0;
    int stretches = 0;
    in_stretches(host, 5, weight, [&](std::int64_t begin, std::int64_t end) {
      CHECK(begin == next);
      next = end;
      ++stretches;
    });
    CHECK(next == 5);
    CHECK(stretches == (weight == kStretch * 2 ? 5 : weight == kStretch / 2 ? 3 : 1));
  }
}

/// Checks that the kernel of a Variable's node asks the host on its way, and ends where told to.
static void check_interrupted(const Variable& made, std::vector<Cell> cells) {
  const Apply& node = *made.node();
  REQUIRE(node.n_inputs() == cells.size());
  const ThunkCode code = node.op()->kernel(node);
  std::vector<std::uint32_t> registers(cells.size() + 1);
  std::iota(registers.begin(), registers.end(), 0u);
  Operands operands;
  operands.registers = registers.data();
  operands.n_inputs = static_cast<std::uint16_t>(cells.size());
  operands.n_outputs = 1;
  operands.state = code.state.get();
  cells.emplace_back();
  Stopping host;
  Activation activation;
  activation.cells = cells.data();
  activation.host = &host;
  REQUIRE(code.eager(activation, operands) == Status::Failed);
  CHECK_THROWS_WITH_AS(std::rethrow_exception(activation.failure.error), "the call was interrupted",
                       Error);
}

TEST_CASE("the host ends long kernels between two stretches") {
  const auto input = [](DType dtype, StaticShape shape) {
    return Variable::input(TensorType::of(dtype, std::move(shape)), "x");
  };
  const auto zeros = [](DType dtype, std::vector<std::int64_t> shape) {
    return Cell::of_array(Array::zeros(dtype, shape));
  };
  const std::int64_t n = kStretch + 1;
  const Variable x = input(DType::Float64, {kUnknownLength});
  const Variable at = input(DType::Int64, {kUnknownLength});
  SUBCASE("take") {
    check_interrupted(call_op("take", {x, at}),
                      {zeros(DType::Float64, {n}), zeros(DType::Int64, {n})});
  }
  SUBCASE("a loop over contiguous elements") {
    check_interrupted(call_op("neg", {x}), {zeros(DType::Float64, {n})});
  }
  SUBCASE("a loop over rows and columns") {
    const Variable row = input(DType::Float64, {1, kUnknownLength});
    const Variable column = input(DType::Float64, {kUnknownLength, 1});
    check_interrupted(call_op("add", {row, column}),
                      {zeros(DType::Float64, {1, 1025}), zeros(DType::Float64, {1025, 1})});
  }
  SUBCASE("a copy in another order") {
    const Variable rows = input(DType::Float64, {kUnknownLength, kUnknownLength});
    const Array matrix = Array::zeros(DType::Float64, std::vector<std::int64_t>{1025, 1025});
    const std::vector<std::int64_t> strides = {8, 8 * 1025};
    const Cell transposed = Cell::of_array(matrix.view(matrix.shape(), strides, matrix.data()));
    const Array shape = Array::zeros(DType::Int64, std::vector<std::int64_t>{1});
    *shape.data_as<std::int64_t>() = 1025 * 1025;
    const Variable lengths = Variable::input(TensorType::of(DType::Int64, {1}), "lengths");
    check_interrupted(call_op("reshape", {rows, lengths}), {transposed, Cell::of_array(shape)});
  }
  SUBCASE("elements that a mask picks") {
    const Variable mask = input(DType::Bool, {kUnknownLength});
    check_interrupted(
        call_op("advanced_subtensor", {x, mask}, {{"index", std::vector<std::string>{"[]"}}}),
        {zeros(DType::Float64, {n}), zeros(DType::Bool, {n})});
  }
  SUBCASE("elements that positions pick") {
    check_interrupted(
        call_op("advanced_subtensor", {x, at}, {{"index", std::vector<std::string>{"[]"}}}),
        {zeros(DType::Float64, {n}), zeros(DType::Int64, {n})});
  }
  SUBCASE("a range") {
    const auto number = [](double value) { return Cell::of(value); };
    const Variable end = input(DType::Float64, {});
    check_interrupted(call_op("arange", {end, end, end}),
                      {number(0), number(static_cast<double>(n)), number(1)});
  }
  SUBCASE("a running sum") {
    check_interrupted(call_op("cumsum", {x}, {{"axis", std::int64_t{0}}}),
                      {zeros(DType::Float64, {n})});
  }
  SUBCASE("a sum") { check_interrupted(call_op("sum", {x}), {zeros(DType::Float64, {n})}); }
  SUBCASE("the positions of the largest elements of rows") {
    const Variable rows = input(DType::Float64, {kUnknownLength, kUnknownLength});
    check_interrupted(call_op("argmax", {rows}, {{"axis", std::int64_t{1}}}),
                      {zeros(DType::Float64, {1025, 1025})});
  }
  SUBCASE("a cast") { check_interrupted(cast(x, DType::Float32), {zeros(DType::Float64, {n})}); }
}
