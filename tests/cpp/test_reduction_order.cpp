// test_reduction_order.cpp: where reductions come in a schedule that C is emitted from.
#include "ops/control/conditional.h"
#include "ops/graph/functions.h"
#include "tests/cpp/schedules.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace thunkvm {
namespace {

const LinkOptions kEmitting = {.emits = true};

/// The Ops of the nodes that these depend on, in the order that reduces early.
std::string order(std::vector<Variable> inputs, std::vector<Variable> outputs) {
  const Linked linked =
      link({.inputs = std::move(inputs), .outputs = std::move(outputs)}, kEmitting);
  std::string names;
  for (const Statement& s : linked.schedule->statements)
    if (s.kind == Statement::Kind::Run) names += linked.nodes()[s.node].node()->op()->name() + " ";
  return names;
}

TEST_CASE("a sum comes right after what it adds up") {
  const Variable x = vector("x"), y = exp(x);
  CHECK(order({x}, {log(y), sum(y)}) == "exp sum log ");
}

TEST_CASE("what only reductions read comes with them") {
  const Variable x = vector("x"), y = exp(x);
  CHECK(order({x}, {log(y), sum(y * y * 2.0)}) == "exp mul mul sum log ");
}

TEST_CASE("what others read too stays where it is, and so do its reductions") {
  const Variable x = vector("x"), y = exp(x), squares = y * y;
  CHECK(order({x}, {log(y), call_op("cumsum", {squares}), sum(squares)}) ==
        "exp log mul sum cumsum ");
}

TEST_CASE("a reduction waits for all that it depends on") {
  const Variable x = vector("x"), y = exp(x), z = log(neg(y));
  CHECK(order({x}, {z, call_op("sin", {z}), sum(y * z)}) == "exp neg log mul sum sin ");
}

TEST_CASE("what is reduced of inputs alone stays behind what came before it") {
  const Variable x = vector("x"), c = real("c"), total = sum(x);
  CHECK(order({x, c}, {exp(c), sum(x * total)}) == "exp sum mul sum ");
  CHECK(order({x}, {exp(x), log(x), sum(x * total), total}) == "exp log sum mul sum ");
}

TEST_CASE("without reductions the order stays what it was") {
  const Variable x = vector("x"), y = exp(x);
  CHECK(order({x}, {call_op("sin", {y}), y * 2.0, log(y)}) == "exp sin mul log ");
}

TEST_CASE("a reduction moves past a branch, and what died in it dies in the arms") {
  const Variable x = vector("x"), c = real("c"), y = exp(x);
  const Variable either = ifelse(c, y * 2.0, x);
  CHECK(schedule({x, c}, {either, sum(y * y)}, kEmitting) == R"(
root
  exp.0: t2 = x
  mul.3: t5 = t2, t2
  sum.4: t6 = t5, dies: t5
  branch on c
  arm 0
    dies: t2
    move t0 = x
  arm 1
    mul.1: t0 = t2, constant 2.000000, dies: t2
)");
}

TEST_CASE("a selector that died in a reduction dies in the branch that it moved past") {
  const Variable x = vector("x"), c = real("c"), y = exp(x), total = sum(y);
  CHECK(schedule({x, c}, {y, ifelse(total, c, exp(c)), sum(y * total)}, kEmitting) == R"(
root
  exp.0: t2 = x
  sum.1: t3 = t2
  mul.4: t5 = t2, t3
  sum.5: t6 = t5, dies: t5
  branch on t3, dies: t3
  arm 0
    exp.2: t0 = c
  arm 1
    move t0 = c
)");
}

TEST_CASE("a reduction takes the memo bodies along that it waits for") {
  const Variable x = vector("x"), c = real("c"), d = real("d"), memo = log(x);
  const Variable y = exp(x), inner = ifelse(d, y * 2.0, x);
  CHECK(schedule({x, c, d}, {ifelse(c, inner + sum(y * memo), x), ifelse(d, memo, x)}, kEmitting) ==
        R"(
root
  branch on c
  arm 0
    move t0 = x
  arm 1
    need log.3
    exp.0: t4 = x
    mul.4: t8 = t4, t7
    sum.5: t9 = t8, dies: t8
    branch on d
    arm 0
      dies: t4
      move t1 = x
    arm 1
      mul.1: t1 = t4, constant 2.000000, dies: t4
    add.6: t0 = t1, t9, dies: t1, t9
  branch on d
  arm 0
    dies: t7
    move t10 = x
  arm 1
    need log.3
    move t10 = t7, dies: t7
memo log.3
  log.3: t7 = x
)");
}

TEST_CASE("what a memo body may still read dies behind the last branch that may need it") {
  const Variable x = vector("x"), c = real("c"), d = real("d"), y = exp(x), memo = log(y);
  CHECK(schedule({x, c, d}, {ifelse(c, memo, x), ifelse(d, memo, x), sum(y)}, kEmitting) == R"(
root
  exp.0: t1 = x
  sum.4: t7 = t1
  branch on c
  arm 0
    move t3 = x
  arm 1
    need log.1
    move t3 = t4
  branch on d
  arm 0
    dies: t4
    move t6 = x
  arm 1
    need log.1
    move t6 = t4, dies: t4
  dies: t1
memo log.1
  log.1: t4 = t1
)");
}

TEST_CASE("a conditional's value is reduced right behind its branch") {
  const Variable x = vector("x"), c = real("c"), d = real("d");
  const Variable either = ifelse(c, exp(x), x);
  CHECK(schedule({x, c, d}, {ifelse(d, either, x), sum(either)}, kEmitting) == R"(
root
  branch on c
  arm 0
    move t0 = x
  arm 1
    exp.0: t0 = x
  sum.3: t5 = t0
  branch on d
  arm 0
    dies: t0
    move t4 = x
  arm 1
    move t4 = t0, dies: t0
)");
}

}  // namespace
}  // namespace thunkvm
