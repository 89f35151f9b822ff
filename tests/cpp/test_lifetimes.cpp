// test_lifetimes.cpp: where the values of small graphs are let go.
#include "ops/control/conditional.h"
#include "ops/graph/functions.h"
#include "ops/graph/graph.h"
#include "tests/cpp/loops.h"
#include "tests/cpp/opaque_op.h"
#include "tests/cpp/schedules.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace thunkvm {
namespace {

/// An eager Op with two outputs.
class Twice final : public TwoOutputs {
 public:
  std::string name() const override { return "twice"; }
  ThunkCode kernel(const Apply&) const override {
    ThunkCode code;
    code.eager = [](Activation& call, const Operands& operands) {
      for (int j = 0; j < 2; ++j) call.output(operands, j) = call.input(operands, 0);
      return Status::Done;
    };
    return code;
  }
};

/// The schedule of what these depend on, as text.
std::string schedule(std::vector<Variable> outputs) {
  std::vector<Variable> inputs = leaves(outputs);
  std::erase_if(inputs, [](const Variable& v) { return v.is_constant(); });
  return thunkvm::schedule(std::move(inputs), std::move(outputs));
}

TEST_CASE("a value is retired after its last use, in the region that it is at home in") {
  const Variable c = real("c"), x = real("x");
  const Variable value = x + x, first = value * x, last = value - first;
  const Variable local = x * x, then = local + x;
  CHECK(schedule({last, ifelse(c, then, x)}) == R"(
root
  add.0: t2 = x, x
  mul.1: t3 = t2, x
  sub.2: t4 = t2, t3, dies: t2, t3
  branch on c
  arm 0
    move t0 = x
  arm 1
    mul.3: t6 = x, x
    add.4: t0 = t6, x, dies: t6
)");
}

TEST_CASE("what all arms could have used is let go at the entry of those that do not") {
  const Variable c = real("c"), x = real("x");
  const Variable value = x + x, before = value * x, then = value - x;
  CHECK(schedule({before, ifelse(c, then, x)}) == R"(
root
  add.0: t2 = x, x
  mul.1: t3 = t2, x
  branch on c
  arm 0
    dies: t2
    move t0 = x
  arm 1
    sub.2: t0 = t2, x, dies: t2
)");
}

TEST_CASE("a conditional dies in the arms of its own branch, if that is all it is used in") {
  const Variable c = real("c"), x = real("x");
  const Variable inner = ifelse(c, x * x, x / x), then = inner + x, otherwise = inner - x;
  CHECK(schedule({ifelse(c, then, otherwise)}) == R"(
root
  branch on c
  arm 0
    true_div.0: t1 = x, x
    sub.3: t0 = t1, x, dies: t1
  arm 1
    mul.1: t1 = x, x
    add.4: t0 = t1, x, dies: t1
)");
}

TEST_CASE("an arm of a later branch lets go of what the same arm of an earlier one used") {
  const Variable c = real("c"), x = real("x");
  const Variable value = x + x, used = value * x;
  const Variable first = ifelse(c, x, used), between = first - value;
  const Variable last = value + between;
  CHECK(schedule({ifelse(c, last, between)}) == R"(
root
  add.0: t3 = x, x
  branch on c
  arm 0
    mul.1: t1 = t3, x
  arm 1
    move t1 = x
  sub.3: t5 = t1, t3, dies: t1
  branch on c
  arm 0
    dies: t3
    move t0 = t5, dies: t5
  arm 1
    add.4: t0 = t3, t5, dies: t3, t5
)");
}

TEST_CASE("what an arm makes and the same arm of a later branch reads dies in that arm alone") {
  const Variable c = real("c"), x = real("x");
  const Variable value = exp(x), first = ifelse(c, value * x, x), between = log(first);
  CHECK(schedule({ifelse(c, value + between, between)}) == R"(
root
  branch on c
  arm 0
    move t1 = x
  arm 1
    exp.0: t4 = x
    mul.1: t1 = t4, x
  log.3: t5 = t1, dies: t1
  branch on c
  arm 0
    move t0 = t5, dies: t5
  arm 1
    add.4: t0 = t4, t5, dies: t4, t5
)");
}

TEST_CASE("what an arm makes for a conditional is let go as the conditional is, further out") {
  const Variable c = real("c"), x = real("x");
  const Variable first = ifelse(c, x * x, x), between = log(first);
  const Variable second = ifelse(c, between, exp(x));  // exp is in an arm of the first branch
  CHECK(schedule({neg(second), between}) == R"(
root
  branch on c
  arm 0
    exp.0: t0 = x
    move t1 = x
  arm 1
    mul.1: t1 = x, x
  log.3: t4 = t1, dies: t1
  branch on c
  arm 0
  arm 1
    move t0 = t4
  neg.5: t5 = t0, dies: t0
)");
}

TEST_CASE("what is used in the depth of a nest lives up to the last branch that leads there") {
  const Variable c = real("c"), x = real("x");
  const Variable value = x + x, before = value - x;
  Variable deep = value * x;
  for (int i = 0; i < 20; ++i) deep = ifelse(real("s"), deep, x);
  const Variable first = ifelse(c, x * x, x), between = first + x;
  const Variable second = ifelse(c, deep + between, between);
  const std::string text = schedule({before, second});
  CHECK(text.starts_with("\nroot\n  add.0: t4 = x, x\n"));
  CHECK(text.substr(text.rfind("branch on c")).starts_with("branch on c\n  arm 0\n    dies: t4"));
  CHECK(text.find("dies: t4") > text.rfind("branch on c"));
}

TEST_CASE("a value that leaves an arm dies there; outputs never do") {
  const Variable c = real("c"), x = real("x");
  const Variable value = x + x, kept = x * x;
  CHECK(schedule({value * x, ifelse(c, value, kept), kept}) == R"(
root
  add.0: t1 = x, x
  mul.1: t2 = t1, x
  mul.2: t3 = x, x
  branch on c
  arm 0
    dies: t1
    move t5 = t3
  arm 1
    move t5 = t1, dies: t1
)");
}

TEST_CASE("what a memo body reads lives until the last statement that may need it") {
  const Variable c = real("c"), d = real("d"), x = real("x");
  const Variable value = exp(x), memo = log(value);
  CHECK(schedule({ifelse(c, memo, x), ifelse(d, memo, x), neg(value)}) == R"(
root
  exp.0: t1 = x
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
  neg.4: t7 = t1, dies: t1
memo log.1
  log.1: t4 = t1
)");
}

TEST_CASE("all outputs of a memo body live until the last statement that may need any of them") {
  const Variable c = real("c"), d = real("d"), x = real("x");
  const std::vector<Variable> inputs = {x};
  const std::vector<Variable> memo = Ref<const Op>(new Twice)->call(inputs);
  CHECK(schedule({ifelse(c, memo[0], x), ifelse(d, memo[1], x)}) == R"(
root
  branch on c
  arm 0
    move t2 = x
  arm 1
    need twice.0
    move t2 = t3
  branch on d
  arm 0
    move t5 = x
  arm 1
    need twice.0
    move t5 = t6
  dies: t6, t3
memo twice.0
  twice.0: t3, t6 = x
)");
}

TEST_CASE("what an opaque node reads lives through its last demand, and then it is released") {
  const Variable c = real("c"), x = real("x");
  const std::vector<Variable> inputs = {x + x, x};
  const std::vector<Variable> outputs = Ref<const Op>(new Opaque)->call(inputs);
  const Variable used = outputs[0] * x;
  CHECK(schedule({ifelse(c, outputs[1], used)}) == R"(
root
  branch on c
  arm 0
    demand output 0 of opaque.1
    mul.2: t0 = t4, x
  arm 1
    demand output 1 of opaque.1
    move t0 = t5
  dies: t2, t5, t4
  release opaque.1
input 0 of opaque.1
  add.0: t2 = x, x
input 1 of opaque.1
)");
}

TEST_CASE("a state dies where its step touches it for the last time, and where the loop ends") {
  const Variable x = real("x"), s = real("s");
  const Variable last = while_loop({s}, {x}, call_op("lt", {s, x}), {s + s * x})[0];
  CHECK(schedule({last}) == R"(
root
  move s = x
  loop while_loop.3
step of while_loop.3
  lt.0: t3 = s, x
  branch on t3, dies: t3
  arm 0
    move t1 = s, dies: s
  arm 1
    mul.1: t4 = s, x
    add.2: t5 = s, t4, dies: t4, s
    move s = t5, dies: t5
    again
)");
}

TEST_CASE("a state that becomes another one is moved there") {
  const Variable x = real("x"), y = real("y"), a = real("a"), b = real("b");
  const auto outputs = while_loop({a, b}, {x, y}, call_op("lt", {a, y}), {b, a + y});
  CHECK(schedule({outputs[0], outputs[1]}) == R"(
root
  move a = x
  move b = y
  loop while_loop.2
step of while_loop.2
  lt.0: t6 = a, y
  branch on t6, dies: t6
  arm 0
    move t2 = a, dies: a
    move t3 = b, dies: b
  arm 1
    add.1: t7 = a, y, dies: a
    move a = b, dies: b
    move b = t7, dies: t7
    again
)");
}

TEST_CASE("a state that an arm alone reads dies in that arm, and at the entry of the other") {
  const Variable x = real("x"), y = real("y"), s = real("s");
  const Variable next = ifelse(y, s + x, x * x);
  CHECK(schedule({while_loop({s}, {x}, call_op("lt", {s, x}), {next})[0]}) == R"(
root
  move s = x
  loop while_loop.4
  dies: t6
step of while_loop.4
  lt.0: t4 = s, x
  branch on t4, dies: t4
  arm 0
    move t2 = s, dies: s
  arm 1
    branch on y
    arm 0
      dies: s
      need mul.1
      move t0 = t6
    arm 1
      add.2: t0 = s, x, dies: s
    move s = t0, dies: t0
    again
memo mul.1
  mul.1: t6 = x, x
)");
}

}  // namespace
}  // namespace thunkvm
