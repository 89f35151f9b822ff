// test_failures.cpp: what a failing thunk leaves behind.
#include "tests/cpp/assembler.h"
#include "vm/interpreter.h"

#include <doctest/doctest.h>

namespace thunkvm {
namespace {

using namespace testing;
using testing::Index;

TEST_CASE("wherever a thunk fails, no register holds a value and the frame can be used again") {
  constexpr int kThunks = 5;
  for (int failing = 0; failing < kThunks; ++failing) {
    CAPTURE(failing);
    bool fail = true;
    ProgramBuilder b;
    const Index x = b.input("x"), w = b.shared("w"), k = b.constant("k", Cell::of(10.0));
    Index last = x;
    for (int i = 0; i < kThunks; ++i) {
      const Index next = i == kThunks - 1 ? b.output("y") : b.reg("t");
      b.thunk("thunk " + std::to_string(i), {last, w, k}, {next},
              [&, i](Activation& a, const Operands& o) {
                if (fail && i == failing) throw Error(ErrorKind::Value, "not this time");
                sum(a, o);
              });
      last = next;
    }
    b.halt();
    Machine machine(b.build());
    machine.frame.cell(w).set(1.0);
    CHECK(machine.call({0.0}).empty());
    CHECK(machine.node == "thunk " + std::to_string(failing));
    CHECK(machine.error == "not this time");
    CHECK(machine.frame.empty());
    CHECK(machine.frame.cell(k).is_scalar());
    CHECK(machine.frame.cell(k).get<double>() == 10.0);
    for (int i = 0; i < kThunks; ++i)
      CHECK(machine.runs("thunk " + std::to_string(i)) == (i <= failing ? 1u : 0u));

    fail = false;
    machine.frame.cell(w).set(1.0);
    CHECK(machine.call({0.0}) == Values{55.0});
    for (int i = 0; i < kThunks; ++i)
      CHECK(machine.runs("thunk " + std::to_string(i)) == (i <= failing ? 2u : 1u));
    machine.frame.reset_counters();
    for (int i = 0; i < kThunks; ++i) CHECK(machine.runs("thunk " + std::to_string(i)) == 0);
  }
}

TEST_CASE("a failure inside a memo body is that node's, and the memo runs again in the next call") {
  bool fail = true;
  ProgramBuilder b;
  const Index x = b.input("x"), t = b.reg("t"), y = b.output("y");
  const Index memo = b.memo("memo");
  b.need(memo);
  b.thunk("plus", {t, t}, {y}, sum, {t});
  b.halt();
  b.memo_body(memo);
  b.thunk("inner", {x}, {t}, [&](Activation& a, const Operands& o) {
    if (fail) throw std::runtime_error("inner failed");
    sum(a, o);
  });
  b.ret();
  Machine machine(b.build());
  CHECK(machine.call({2.0}).empty());
  CHECK(machine.node == "inner");
  CHECK(machine.runs("plus") == 0);
  CHECK(machine.frame.empty());
  fail = false;
  CHECK(machine.call({2.0}) == Values{4.0});
  CHECK(machine.runs("inner") == 2);
}

TEST_CASE("a thunk that fails without an error gets one that says so") {
  ProgramBuilder b;
  const Index y = b.output("y");
  b.step("mute", {}, {y}, [](Activation&, const Operands&) { return Status::Failed; }, nullptr);
  b.halt();
  Machine machine(b.build());
  CHECK(machine.call({}).empty());
  CHECK(machine.node == "mute");
  CHECK(has(machine.error, "failed without an error"));
}

TEST_CASE("a failure can be taken out of its frame") {
  ProgramBuilder b;
  const Index y = b.output("y");
  b.thunk("bad", {}, {y}, fails);
  b.halt();
  Machine machine(b.build());
  machine.call({});
  const Failure failure = machine.frame.take_failure();
  CHECK(failure.error != nullptr);
  CHECK(failure.node == 0);
  CHECK(machine.frame.failure().error == nullptr);
}

}  // namespace
}  // namespace thunkvm
