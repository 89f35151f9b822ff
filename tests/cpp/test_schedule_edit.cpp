// test_schedule_edit.cpp: schedules in which statements were put, moved and erased.
#include "linkers/schedule/schedule_edit.h"
#include "ops/control/conditional.h"
#include "ops/graph/functions.h"
#include "tests/cpp/schedules.h"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>

namespace thunkvm {
namespace {

/// 0 log, 1 exp, 2 branch; arm 0: 3 mul, 4 end; arm 1: 5 move, 6 end; 7 end.
Schedule branching() {
  const Variable c = real("c"), x = real("x"), low = log(x), y = exp(x);
  return *link({.inputs = {c, x}, .outputs = {low, y, ifelse(c, x, y * y)}},
               {.retain_intermediates = true})
              .schedule;
}

using S = StatementIndex;

template <class Change>
std::string changed(Change change) {
  Schedule schedule = branching();
  ScheduleEdit edit(schedule);
  change(edit, schedule.statements);
  edit.apply();
  return "\n" + schedule.text();
}

TEST_CASE("ScheduleEdit leaves a schedule as it is until something changes") {
  CHECK(changed([](auto&, auto&) {}) == R"(
root
  log.0: t2 = x
  exp.1: t3 = x
  branch on c
  arm 0
    mul.2: t0 = t3, t3
  arm 1
    move t0 = x
)");
}

TEST_CASE("ScheduleEdit inserts into the block of what it inserts in front of, in order") {
  CHECK(changed([](auto& edit, auto& statements) {
          edit.insert(S(7), statements[S(1)]);
          edit.insert(S(3), statements[S(1)]);
          edit.insert(S(3), statements[S(0)]);
          edit.insert(S(6), statements[S(0)]);
        }) == R"(
root
  log.0: t2 = x
  exp.1: t3 = x
  branch on c
  arm 0
    exp.1: t3 = x
    log.0: t2 = x
    mul.2: t0 = t3, t3
  arm 1
    move t0 = x
    log.0: t2 = x
  exp.1: t3 = x
)");
}

TEST_CASE("ScheduleEdit moves statements up, past a branch, and in front of what moves too") {
  CHECK(changed([](auto& edit, auto&) {
          edit.move(S(1), S(0));
          edit.move(S(0), S(7));
        }) == R"(
root
  exp.1: t3 = x
  branch on c
  arm 0
    mul.2: t0 = t3, t3
  arm 1
    move t0 = x
  log.0: t2 = x
)");
}

TEST_CASE("ScheduleEdit erases all of a block but its end") {
  CHECK(changed([](auto& edit, auto&) {
          edit.erase(S(0));
          edit.erase(S(3));
        }) == R"(
root
  exp.1: t3 = x
  branch on c
  arm 0
  arm 1
    move t0 = x
)");
}

}  // namespace
}  // namespace thunkvm
