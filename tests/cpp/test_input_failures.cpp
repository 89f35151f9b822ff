// test_input_failures.cpp: lazy thunks that go on where computing an input failed.
#include "tests/cpp/lazy_program.h"
#include "thunks/demand.h"
#include "thunks/input_failure.h"

#include <doctest/doctest.h>

#include <string>

namespace thunkvm {
namespace {

using namespace testing;
using testing::Index;

/// The value of input `i`, or `otherwise` where computing it failed with an error of ours.
double number_or(Demand& demand, int i, double otherwise) {
  try {
    return demand.force(i).get<double>();
  } catch (const Error&) {
    return otherwise;
  }
}

/// Computes its only output as input `i`, or as -1 where that failed.
ThunkCode value_or_minus_one(int i) {
  return straight_line(
      [i](Demand& demand) { demand.set_output(0, Cell::of(number_or(demand, i, -1.0))); });
}

/// A thunk of the re-entrant kind that demands input 0, and input 1 where that failed.
class FirstOrSecond final : public BoundThunk, public FailureHandler {
 public:
  Status enter(LazyCall& call) override {
    for (const int i : {0, 1})
      if (call.available(i)) call.set_output(0, call.input(i));
    if (!call.computed(0)) call.request(0);
    return Status::Done;
  }
  Status raised(LazyCall& call, int input, const Failure& failure) override {
    if (input == 0) {
      call.request(1);
      return Status::Done;
    }
    call.activation().failure = failure;
    return Status::Failed;
  }
};
ThunkCode first_or_second() {
  ThunkCode code;
  code.lazy = true;
  code.form = ThunkForm::Lazy;
  code.make = [] { return std::make_unique<FirstOrSecond>(); };
  return code;
}

TEST_CASE("a re-entrant thunk may ask for another input in place of one that failed") {
  LazyProgram p(2, 1, {0}, first_or_second());
  Machine machine = p.machine();
  CHECK(machine.call({}) == Values{1.0});
  CHECK(p.log == "in0 ");
  p.failing = 0;
  p.log.clear();
  CHECK(machine.call({}) == Values{10.0});
  CHECK(p.log == "in0 in1 ");
  CHECK(machine.frame.empty());
  CHECK_FALSE(machine.frame.failure().error);
  p.failing = 1;
  CHECK(machine.call({}) == Values{1.0});
}

TEST_CASE("a failure that nobody deals with keeps its node, through any number of lazy thunks") {
  ProgramBuilder b;
  const auto x = b.reg("x"), y = b.reg("y"), z = b.output("z");
  const auto inner =
      b.lazy("inner", {x}, {y}, lazy_function([](LazyCall& call) { call.request(0); }));
  const auto outer =
      b.lazy("outer", {y}, {z},
             straight_line([](Demand& demand) { demand.set_output(0, demand.force(0)); }));
  b.demand(outer, 0);
  b.retire({y, x});
  b.halt();
  b.input_body(outer, 0);
  b.demand(inner, 0);
  b.ret();
  b.input_body(inner, 0);
  b.thunk("x", {}, {x}, fails);
  b.ret();
  Machine machine(b.build());
  CHECK(machine.call({}).empty());
  CHECK(machine.node == "x");
  CHECK(machine.error == "this thunk always fails");
  CHECK(machine.frame.empty());
}

TEST_CASE("the inputs of a list behind one that failed are not computed") {
  int told = 0;
  struct Asks final : BoundThunk, FailureHandler {
    explicit Asks(int& told) : told(told) {}
    Status enter(LazyCall& call) override {
      for (const int i : {2, 1, 0}) call.request(i);
      return Status::Done;
    }
    Status raised(LazyCall& call, int input, const Failure&) override {
      told = 10 * told + input;
      CHECK(call.available(2));
      CHECK_FALSE(call.available(1));
      CHECK_FALSE(call.available(0));
      call.set_output(0, call.input(2));
      return Status::Done;
    }
    int& told;
  };
  ThunkCode code;
  code.lazy = true;
  code.make = [&] { return std::make_unique<Asks>(told); };
  LazyProgram p(3, 1, {0}, code);
  p.failing = 1;
  Machine machine = p.machine();
  CHECK(machine.call({}) == Values{100.0});
  CHECK(p.log == "in2 in1 ");
  CHECK(told == 1);
}

/// Two lazy thunks that both demand `m`, which a memo body computes from a step before it, `t`.
struct CommonMemo {
  CommonMemo(bool keep = false) {
    const auto t = b.reg("t"), m = b.reg("m"), u = b.reg("u"), v = b.reg("v");
    first = b.output("first");
    second = b.output("second");
    held = t;
    const auto memo = b.memo("memo");
    const auto one = b.lazy("one", {u}, {first}, value_or_minus_one(0));
    const auto two = b.lazy("two", {v}, {second}, value_or_minus_one(0));
    if (keep) b.retain_intermediates();
    b.demand(one, 0);
    b.thunk("between", {}, {},
            [this](Activation& a, const Operands&) { held_between = !a.cells[held].empty(); });
    b.demand(two, 0);
    if (!keep) b.retire({m, u, v});
    b.halt();
    b.memo_body(memo);
    b.thunk("t", {}, {t}, [this](Activation& a, const Operands& o) {
      log += "t ";
      a.output(o, 0).set(3.0);
    });
    b.thunk(
        "m", {t}, {m},
        [this](Activation& a, const Operands& o) {
          log += "m ";
          if (failing) throw Error(ErrorKind::Value, "m failed");
          a.output(o, 0).set(4.0);
        },
        keep ? Registers{} : Registers{t});
    b.ret();
    for (const auto& [lazy, input] : {std::pair(one, u), std::pair(two, v)}) {
      b.input_body(lazy, 0);
      b.need(memo);
      b.move(input, m);
      b.ret();
    }
  }

  ProgramBuilder b;
  std::string log;
  bool failing = true, held_between = false;
  Index first, second, held;
};

TEST_CASE("a memo body that failed is not run again: who needs it is given the same failure") {
  CommonMemo p;
  Machine machine(p.b.build());
  CHECK(machine.call({}) == Values{-1.0, -1.0});
  CHECK(p.log == "t m ");
  CHECK(machine.frame.empty());
  p.failing = false;
  p.log.clear();
  CHECK(machine.call({}) == Values{4.0, 4.0});
  CHECK(p.log == "t m ");
  CHECK(machine.runs("t") == 2);
  CHECK(machine.runs("m") == 2);
}

TEST_CASE("what a failed memo body had computed for itself is let go before the call goes on") {
  CommonMemo p;
  Machine machine(p.b.build());
  machine.call({});
  CHECK_FALSE(p.held_between);
  CommonMemo keeping(true);
  Machine keeps(keeping.b.build());
  CHECK(keeps.call({}) == Values{-1.0, -1.0});
  CHECK(keeping.held_between);
  keeping.failing = false;
  CHECK(keeps.call({}) == Values{4.0, 4.0});
}

TEST_CASE("a lazy thunk that failed stays failed, and keeps the outputs that it had") {
  int entries = 0;
  ProgramBuilder b;
  const auto left = b.reg("left"), right = b.reg("right");
  const auto out = b.output("out"), again = b.output("again"), early = b.output("early");
  const auto halves = b.lazy("halves", {}, {left, right}, lazy_function([&](LazyCall& call) {
                               ++entries;
                               if (call.demanded() == 1) throw Error(ErrorKind::Value, "no right");
                               call.set_output(0, Cell::of(1.0));
                             }));
  const auto one = b.lazy("one", {right}, {out}, value_or_minus_one(0));
  const auto two = b.lazy("two", {right}, {again}, value_or_minus_one(0));
  const auto three = b.lazy("three", {left}, {early}, value_or_minus_one(0));
  b.demand(halves, 0);
  for (const auto lazy : {one, two, three}) b.demand(lazy, 0);
  b.retire({left, right});
  b.halt();
  for (const auto lazy : {one, two, three}) {
    b.input_body(lazy, 0);
    b.demand(halves, lazy == three ? 0 : 1);
    b.ret();
  }
  Machine machine(b.build());
  CHECK(machine.call({}) == Values{-1.0, -1.0, 1.0});
  CHECK(entries == 2);
  CHECK(machine.frame.empty());
}

TEST_CASE("no thunk is told of what ends the call") {
  int told = 0;
  for (const ForceBy way : {ForceBy::Nested, default_force()}) {
    LazyProgram p(2, 1, {0},
                  straight_line(
                      [&](Demand& demand) {
                        try {
                          demand.force(0);
                        } catch (const std::exception&) {
                          ++told;
                        }
                        demand.set_output(0, Cell::of(1.0));
                      },
                      way));
    p.failing = 0;
    p.kind = ErrorKind::Interrupted;
    Machine machine = p.machine();
    CHECK(machine.call({}).empty());
    CHECK(machine.kind == ErrorKind::Interrupted);
    CHECK(machine.frame.empty());
  }
  CHECK(told == 0);
}

TEST_CASE("bodies within a failed input body are let go with it, their lazy thunks too") {
  int resets = 0;
  double seen = 0;
  ProgramBuilder b;
  const auto u = b.reg("u"), w = b.reg("w"), x = b.reg("x"), y = b.reg("y"), out = b.output("out");
  const auto end = b.output("end");
  const auto outer = b.lazy("outer", {x}, {out}, value_or_minus_one(0));
  const auto inner = b.lazy("inner", {w}, {u},
                            lazy_function(
                                [](LazyCall& call) {
                                  if (!call.available(0)) return call.request(0);
                                  call.set_output(0, call.input(0));
                                },
                                [&] { ++resets; }));
  const auto memo = b.memo("y");
  b.demand(outer, 0);
  b.thunk("end", {}, {end}, [&](Activation& a, const Operands& o) {
    for (const auto index : {u, w, y}) seen += a.cells[index].empty() ? 0 : 1;
    a.output(o, 0).set(static_cast<double>(resets));
  });
  b.retire({x});
  b.halt();
  b.input_body(outer, 0);
  b.need(memo);
  b.demand(inner, 0);
  b.thunk("x", {u, y}, {x}, fails, {u, y, w});
  b.ret();
  b.input_body(inner, 0);
  b.need(memo);
  b.move(w, y);
  b.ret();
  b.memo_body(memo);
  b.thunk("y", {}, {y}, sum);
  b.ret();
  Machine machine(b.build());
  CHECK(machine.call({}) == Values{-1.0, 1.0});
  CHECK(seen == 0);
  CHECK(machine.frame.empty());
}

TEST_CASE("a thunk that is not demanded any more lets go of what it holds") {
  int alive = 0;
  struct Local {
    explicit Local(int& alive) : alive(alive) { ++alive; }
    ~Local() { --alive; }
    int& alive;
  };
  ProgramBuilder b;
  const auto one = b.reg("one"), two = b.reg("two"), out = b.output("out");
  const auto lazy = b.lazy("lazy", {}, {one, two}, straight_line([&](Demand& demand) {
                             const Local local(alive);
                             demand.set_output(0, Cell::of(1.0));
                             demand.wait();
                             demand.set_output(1, Cell::of(2.0));
                           }));
  b.demand(lazy, 0);
  b.release(lazy);
  b.thunk("out", {one}, {out},
          [&](Activation& a, const Operands& o) { a.output(o, 0).set(static_cast<double>(alive)); },
          {one, two});
  b.halt();
  Machine machine(b.build());
  CHECK(machine.call({}) == Values{0.0});
}

}  // namespace
}  // namespace thunkvm
