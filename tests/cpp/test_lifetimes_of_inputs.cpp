// test_lifetimes_of_inputs.cpp: where the values of mutable inputs are let go.
#include "ops/control/conditional.h"
#include "ops/graph/functions.h"
#include "ops/graph/graph.h"
#include "tests/cpp/loops.h"
#include "tests/cpp/schedules.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace thunkvm {
namespace {

TEST_CASE("a mutable input dies after its last use, as an intermediate does; others are kept") {
  const Variable x = real("x"), y = real("y");
  CHECK(thunkvm::schedule({x, y}, {x * y - x}, {.mutable_inputs = {0}}) == R"(
root
  mul.0: t2 = x, y
  sub.1: t3 = t2, x, dies: x, t2
)");
}

TEST_CASE("a mutable input dies in the arms that read it, and at the entry of those that do not") {
  const Variable c = real("c"), x = real("x"), y = real("y");
  CHECK(thunkvm::schedule({c, x, y}, {ifelse(c, x * x, y)}, {.mutable_inputs = {1, 2}}) == R"(
root
  branch on c
  arm 0
    dies: x
    move t0 = y, dies: y
  arm 1
    dies: y
    mul.0: t0 = x, x, dies: x
)");
}

TEST_CASE("a mutable input that a memo body reads lives to the last statement that may enter it") {
  const Variable c = real("c"), d = real("d"), x = real("x"), y = real("y");
  const Variable memo = log(x);
  CHECK(thunkvm::schedule({c, d, x, y}, {ifelse(c, memo, y), ifelse(d, memo, y)},
                          {.mutable_inputs = {2}}) == R"(
root
  branch on c
  arm 0
    move t2 = y
  arm 1
    need log.0
    move t2 = t3
  branch on d
  arm 0
    dies: t3
    move t5 = y
  arm 1
    need log.0
    move t5 = t3, dies: t3
  dies: x
memo log.0
  log.0: t3 = x
)");
}

TEST_CASE("a mutable input that a step of a loop reads lives through the loop") {
  const Variable s = real("s"), start = real("start"), x = real("x");
  const Variable last = while_loop({s}, {start}, call_op("lt", {s, x}), {s + x})[0];
  CHECK(thunkvm::schedule({start, x}, {last}, {.mutable_inputs = {0, 1}}) == R"(
root
  move s = start, dies: start
  loop while_loop.2
  dies: x
step of while_loop.2
  lt.0: t4 = s, x
  branch on t4, dies: t4
  arm 0
    move t1 = s, dies: s
  arm 1
    add.1: t5 = s, x, dies: s
    move s = t5, dies: t5
    again
)");
}

TEST_CASE("a mutable input that is an output, or that nothing reads, is kept") {
  const Variable x = real("x"), y = real("y"), unused = real("unused");
  CHECK(thunkvm::schedule({x, y, unused}, {x * y, y}, {.mutable_inputs = {0, 1, 2}}) == R"(
root
  mul.0: t2 = x, y, dies: x
)");
}

TEST_CASE("a program that is traced, keeps its values or runs by need has no mutable inputs") {
  const Variable x = real("x");
  const FunctionGraph graph{.inputs = {x}, .outputs = {x * x}};
  const auto written = [&](LinkOptions options) {
    options.mutable_inputs = {0};
    return link(graph, options).program->mutable_inputs;
  };
  CHECK(written({}) == std::vector{0u});
  CHECK(written({.traced = true}).empty());
  CHECK(written({.retain_intermediates = true}).empty());
  CHECK(written({.placed = false}).empty());
}

}  // namespace
}  // namespace thunkvm
