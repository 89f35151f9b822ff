// test_touches.cpp: the statements that touch a register, and how.
#include "linkers/schedule/touches.h"
#include "ops/control/attempt.h"
#include "ops/control/conditional.h"
#include "ops/graph/functions.h"
#include "tests/cpp/schedules.h"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace thunkvm {
namespace {

/// By register: what "x: read 2.1 write" says of x is read by statement 2, as input 1, and written
/// by none. Each block has a statement more than its text, its end.
std::string touches(const Schedule& schedule) {
  const Touches touches(schedule);
  std::string text = "\n";
  for (std::uint32_t reg = 0; reg < schedule.registers.size(); ++reg) {
    text += schedule.register_name(reg) + ":";
    for (const Touch& touch : touches.of(reg)) {
      text += touch.kind == Touch::Kind::Read    ? " read"
              : touch.kind == Touch::Kind::Write ? " write"
                                                 : " empty";
      if (touch.statement == kNone) continue;
      text += " " + std::to_string(touch.statement);
      if (touch.input != 0) text += "." + std::to_string(touch.input);
    }
    text += "\n";
  }
  return text;
}

TEST_CASE("Touches has Runs, Moves and Branches, and behind them who calls") {
  const Variable c = real("c"), x = real("x"), y = exp(x);
  const Linked linked = link({.inputs = {c, x}, .outputs = {ifelse(c, y, y * x)}}, {});
  CHECK("\n" + linked.schedule->text() == R"(
root
  exp.0: t2 = x
  branch on c
  arm 0
    mul.1: t0 = t2, x, dies: t2
  arm 1
    move t0 = t2, dies: t2
)");
  CHECK(touches(*linked.schedule) == R"(
t0: write 2 write 4 read
x: read 0 read 2.1 read write
t2: write 0 read 2 empty 2 read 4 empty 4
c: read 1 read write
)");
}

TEST_CASE("Touches has what a lazy thunk is handed, and what is demanded of it") {
  const Variable x = real("x"), y = exp(x);
  const std::vector<Variable> either = attempt(attempt_op(), {{y}}, {{x}});
  const Linked linked = link({.inputs = {x}, .outputs = either}, {});
  CHECK("\n" + linked.schedule->text() == R"(
root
  demand output 0 of attempt.1
  branch on t1
  arm 0
    need exp.0
    move t2 = t0, dies: t0
  arm 1
    dies: t0
    move t2 = x
  dies: t1
memo exp.0
  exp.0: t0 = x
guarded input 0 of attempt.1
  need exp.0
)");
  CHECK(touches(*linked.schedule) == R"(
t0: read 3 empty 3 empty 5 write 10 read 13 read
t1: read 0 read 1 empty 8 read write
t2: write 3 write 6 read
x: read 6 read 10 read write
)");
}

}  // namespace
}  // namespace thunkvm
