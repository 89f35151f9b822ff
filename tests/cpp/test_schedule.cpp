// test_schedule.cpp: the schedules of small graphs, as text: which blocks there are, what runs in
// them, and what dies after it.
#include "ops/control/attempt.h"
#include "ops/control/conditional.h"
#include "ops/graph/functions.h"
#include "tests/cpp/loops.h"
#include "tests/cpp/opaque_op.h"
#include "tests/cpp/schedules.h"
#include "vm/frame.h"

#include <doctest/doctest.h>

#include <set>
#include <string>
#include <vector>

namespace thunkvm {
namespace {

/// A conditional of the user's whose arms have another dtype than its output.
class Converting final : public Op {
 public:
  std::string name() const override { return "converting"; }
  std::vector<Variable> call(std::span<const Variable> inputs) const override {
    return {Apply::make1(*this, inputs, TensorType::scalar(DType::Float64))};
  }
  const Conditional* conditional() const override { return &conditional_; }

 private:
  Conditional conditional_{Decoding::Truth, 2, 1};
};

TEST_CASE("what every call runs is in the root, and each value dies after its last use") {
  const Variable x = real("x"), y = x + x;
  CHECK(schedule({x}, {exp(y) * y}) == R"(
root
  add.0: t1 = x, x
  exp.1: t2 = t1
  mul.2: t3 = t2, t1, dies: t1, t2
)");
}

TEST_CASE("an arm is a block, and what only the other one would use dies at its entry") {
  const Variable c = real("c"), x = real("x"), y = exp(x);
  CHECK(schedule({c, x}, {y * 2.0, ifelse(c, y + x, x)}) == R"(
root
  exp.0: t2 = x
  mul.1: t4 = t2, constant 2.000000
  branch on c
  arm 0
    dies: t2
    move t0 = x
  arm 1
    add.2: t0 = t2, x, dies: t2
)");
}

TEST_CASE("what is made for one exit of an arm is made in the conditional's register") {
  const Variable c = real("c"), x = real("x");
  CHECK(schedule({c, x}, {ifelse(c, exp(x), x)}) == R"(
root
  branch on c
  arm 0
    move t0 = x
  arm 1
    exp.0: t0 = x
)");
}

TEST_CASE("a selector that every arm would let go of dies in the branch") {
  const Variable c = real("c"), x = real("x");
  CHECK(schedule({c, x}, {ifelse(gt(c, x), x, c)}) == R"(
root
  gt.0: t2 = c, x
  branch on t2, dies: t2
  arm 0
    move t3 = c
  arm 1
    move t3 = x
)");
}

TEST_CASE("conditionals on one selector are joined in one branch") {
  const Variable c = real("c"), x = real("x");
  CHECK(schedule({c, x}, {ifelse(c, exp(x), x), ifelse(c, x, log(x))}) == R"(
root
  branch on c
  arm 0
    move t1 = x
    log.2: t0 = x
  arm 1
    exp.0: t1 = x
    move t0 = x
)");
}

TEST_CASE("a conditional that an arm around it decides is a move") {
  const Variable c = real("c"), x = real("x"), inner = ifelse(c, exp(x), x);
  CHECK(schedule({c, x}, {ifelse(c, inner * x, x)}) == R"(
root
  branch on c
  arm 0
    move t0 = x
  arm 1
    exp.0: t3 = x
    move t4 = t3, dies: t3
    mul.2: t0 = t4, x, dies: t4
)");
}

TEST_CASE("what two selectors may demand is a memo body, within what all who need it share") {
  const Variable c = real("c"), d = real("d"), x = real("x"), y = exp(x) * x;
  CHECK(schedule({c, d, x}, {ifelse(c, y, x), ifelse(d, y, x)}) == R"(
root
  branch on c
  arm 0
    move t2 = x
  arm 1
    need mul.1
    move t2 = t3
  branch on d
  arm 0
    dies: t3
    move t5 = x
  arm 1
    need mul.1
    move t5 = t3, dies: t3
memo mul.1
  exp.0: t6 = x
  mul.1: t3 = t6, x, dies: t6
)");
}

TEST_CASE("what is attempted is a guarded block") {
  const Variable x = real("x");
  CHECK(schedule({x}, attempt(attempt_op(), {{log(x)}}, {{exp(x)}})) ==
        R"(
root
  demand output 0 of attempt.1
  branch on t2
  arm 0
    need log.0
    move t0 = t1, dies: t1
  arm 1
    dies: t1
    exp.2: t0 = x
  dies: t2
memo log.0
  log.0: t1 = x
guarded input 0 of attempt.1
  need log.0
)");
}

TEST_CASE("with nothing retired nothing dies") {
  const Variable x = real("x");
  CHECK(schedule({x}, {exp(x) * x}, {.retain_intermediates = true}) == R"(
root
  exp.0: t1 = x
  mul.1: t2 = t1, x
)");
}

TEST_CASE("without placement every node is a memo body, within nobody knows what") {
  const Variable c = real("c"), x = real("x");
  CHECK(schedule({c, x}, {ifelse(c, exp(x), x)}, {.placed = false}) == R"(
root
  need ifelse.1
  dies: t0
memo ifelse.1
  branch on c
  arm 0
    move t3 = x
  arm 1
    need exp.0
    move t3 = t0
memo exp.0
  exp.0: t0 = x
)");
}

TEST_CASE("for emission reductions come early, and needs before the stretch that they are in") {
  const Variable x = vector("x"), c = real("c"), d = real("d");
  const Variable y = exp(x), memo = log(c);
  const std::vector<Variable> outputs = {call_op("sin", {y}), sum(y), ifelse(c, (d + d) * memo, d),
                                         ifelse(d, memo, c)};
  CHECK(schedule({x, c, d}, outputs) == R"(
root
  exp.0: t2 = x
  sin.1: t3 = t2
  sum.2: t4 = t2, dies: t2
  branch on c
  arm 0
    move t0 = d
  arm 1
    add.3: t7 = d, d
    need log.4
    mul.5: t0 = t7, t8, dies: t7
  branch on d
  arm 0
    dies: t8
    move t9 = c
  arm 1
    need log.4
    move t9 = t8, dies: t8
memo log.4
  log.4: t8 = c
)");
  CHECK(schedule({x, c, d}, outputs, {.emits = true}) == R"(
root
  exp.0: t2 = x
  sum.2: t4 = t2
  sin.1: t3 = t2, dies: t2
  branch on c
  arm 0
    move t0 = d
  arm 1
    need log.4
    add.3: t7 = d, d
    mul.5: t0 = t7, t8, dies: t7
  branch on d
  arm 0
    dies: t8
    move t9 = c
  arm 1
    need log.4
    move t9 = t8, dies: t8
memo log.4
  log.4: t8 = c
)");
}

TEST_CASE("every statement says which instruction it became") {
  const Variable c = real("c"), x = real("x"), y = exp(x) * x;
  const Linked linked = link({.inputs = {c, x}, .outputs = {ifelse(c, y, log(x)), y}}, {});
  std::string kinds;
  for (const Statement& s : linked.schedule->statements)
    kinds += std::string(name(linked.program->code[s.pc].op)) + " ";
  CHECK(kinds == "Run Run Branch Run Jump Move Halt Halt ");
}

TEST_CASE("the rule of a kind of statement names the instruction that it becomes") {
  const Variable c = real("c"), d = real("d"), x = real("x"), s = real("s"), memo = exp(x);
  const std::vector<Variable> inputs = {x + x, x};
  const std::vector<Variable> lazy = Ref<const Op>(new Opaque)->call(inputs);
  const Variable last = while_loop({s}, {x}, call_op("lt", {s, x}), {s + s * x})[0];
  const FunctionGraph graph{
      .inputs = {c, d, x},
      .outputs = {last, ifelse(c, lazy[1], lazy[0] * x), ifelse(c, memo, x), ifelse(d, memo, x)}};
  const Linked linked = link(open_loops(graph), {});
  std::set<Statement::Kind> kinds;
  for (const Statement& statement : linked.schedule->statements) {
    kinds.insert(statement.kind);
    if (statement.kind != Statement::Kind::End)
      CHECK(linked.program->code[statement.pc].op == rule_of(statement.kind).instruction);
  }
  CHECK(kinds.size() == static_cast<std::size_t>(Statement::Kind::End) + 1);
}

TEST_CASE("the block of a node, and the way up from it") {
  const Variable c = real("c"), d = real("d"), x = real("x"), memo = exp(x);
  const Variable inner = ifelse(d, memo * x, x);
  const Linked linked =
      link({.inputs = {c, d, x}, .outputs = {ifelse(c, inner, x), ifelse(d, memo, x)}}, {});
  const Schedule& s = *linked.schedule;
  const IndexedVector block_of = s.block_of_nodes();
  std::string ways;
  for (const ProgramNode n : s.nodes.indices()) {
    ways += s.node_name(n) + ":";
    for (std::uint32_t b = block_of[n]; b != kNone; b = s.blocks[b].parent)
      ways += s.blocks[b].kind == Block::Kind::Arm    ? " arm" + std::to_string(s.blocks[b].number)
              : s.blocks[b].kind == Block::Kind::Memo ? " memo"
                                                      : " root";
    ways += "\n";
  }
  CHECK("\n" + ways == R"(
exp.0: memo root
mul.1: arm1 arm1 root
ifelse.2: arm1 root
ifelse.3: root
ifelse.4: root
)");
}

TEST_CASE("a register of values of one dtype and number of axes has a static type") {
  const Variable c = real("c"), x = real("x");
  const Linked linked = link({.inputs = {c, x}, .outputs = {ifelse(c, exp(x), x)}}, {});
  const Schedule& s = *linked.schedule;
  const Type* type = s.type_of(s.outputs[0]);
  REQUIRE(type != nullptr);
  CHECK(type->tensor()->dtype() == DType::Float64);
}

TEST_CASE("a register of values of several dtypes has no static type") {
  const Variable c = real("c"), i = Variable::input(TensorType::scalar(DType::Int64), "i");
  const std::vector<Variable> inputs = {c, i * i, i};
  const Variable either = Ref<const Op>(new Converting)->call(inputs)[0];
  const Linked linked = link({.inputs = {c, i}, .outputs = {either}}, {});
  CHECK(linked.schedule->type_of(linked.schedule->outputs[0]) == nullptr);
}

}  // namespace
}  // namespace thunkvm
