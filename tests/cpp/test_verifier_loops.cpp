// test_verifier_loops.cpp: what the steps of loops may read, write and retire, and what is there
// behind a loop.
#include "tests/cpp/verdict.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <vector>

namespace thunkvm {
namespace {

using namespace testing;
using testing::Index;

void below_100(Activation& a, const Operands& o) {
  a.output(o, 0).set(a.input(o, 0).get<double>() < 100.0);
}

/// Doubles x until it is 100 or more: y. A test adds to the places that it needs.
struct Doubling {
  using Place = std::function<void()>;

  std::shared_ptr<Program> build() {
    const Index leave = b.label(), go_on = b.label();
    b.move(s, x);
    at(before);
    b.run_loop(loop);
    at(behind);
    b.halt();
    b.step_body(loop);
    b.thunk("below 100", {s}, {t}, below_100);
    at(head);
    b.leave_or_go_on(loop, t, leave, go_on);
    b.place(go_on);
    b.thunk("double", {s, s}, {d}, sum, {t});
    at(goes_on);
    b.move(s, d);
    b.retire(dying);
    b.again(loop);
    b.place(leave);
    b.move(y, s);
    at(leaves);
    b.retire(dying_last);
    b.ret();
    at(bodies);
    return b.build();
  }

  static void at(const Place& place) {
    if (place) place();
  }

  ProgramBuilder b;
  const Index x = b.input("x"), s = b.reg("s"), t = b.reg("t"), d = b.reg("d"), m = b.reg("m");
  const Index y = b.output("y"), loop = b.loop("loop", {s}, {y});
  /// At the end of a step: of all but the last one, and of that.
  Registers dying = {d}, dying_last = {t, s};
  Place before, behind, head, goes_on, leaves, bodies;
};

/// The same with a memo body that squares x into m, outside of the loop: it runs once.
struct WithInvariant : Doubling {
  WithInvariant() {
    bodies = [this] {
      b.memo_body(memo);
      b.thunk("square", {x, x}, {m}, product);
      b.ret();
    };
  }
  const Index memo = b.memo("memo"), z = b.output("z");
};

/// The same with a memo body of the loop, which squares the state into m.
struct WithMemo : Doubling {
  WithMemo() {
    bodies = [this] {
      b.memo_body(memo);
      b.thunk("square", {s, s}, {m}, product);
      b.ret();
    };
  }
  const Index memo = b.memo_in(loop, "memo"), z = b.output("z");
};

TEST_CASE("a loop is valid, and runs") {
  Doubling p;
  const auto program = p.build();
  CHECK(verdict(program) == "valid");
  Machine machine(program);
  CHECK(machine.call({3.0}) == Values{192.0});
  CHECK(machine.runs("double") == 6);
  CHECK(machine.call({100.0}) == Values{100.0});
  CHECK(machine.runs("double") == 6);
  CHECK(machine.frame.empty());
}

TEST_CASE("an index out of range is found in what belongs to loops") {
  struct Case {
    const char* message;
    std::function<void(Program&)> broken;
  };
  const auto first = [](Program& p, Opcode op) -> Instruction& {
    return *std::ranges::find(p.code, op, &Instruction::op);
  };
  const std::vector<Case> cases = {
      {"body 0: loop 9 does not exist", [](Program& p) { p.bodies[0].number = 9; }},
      {"body 0: loop 9 does not exist", [](Program& p) { p.bodies[0].loop = 9; }},
      {"body 0: its loop is no later one than that around it",
       [](Program& p) { p.bodies[0].loop = 0; }},
      {"body 0: is no step of its loop", [](Program& p) { p.loops[0].body = 1; }},
      {"loop 0: node 99", [](Program& p) { p.loops[0].node = ProgramNode(99); }},
      {"loop 0: branch 99", [](Program& p) { p.loops[0].branch = 99; }},
      {"loop 0: counter 99", [](Program& p) { p.loops[0].counter = 99; }},
      {"loop 0: register 99", [](Program& p) { p.loops[0].states[0] = 99; }},
      {"loop 0: register 99", [](Program& p) { p.loops[0].left[0] = 99; }},
      {"loop 0: body 99", [](Program& p) { p.loops[0].bodies.push_back(99); }},
      {"loop 0: lazy thunk 99", [](Program& p) { p.loops[0].lazies.push_back(99); }},
      {"loop 1: body 99", [](Program& p) { p.loops.emplace_back().body = 99; }},
      {"loop 1: its body is no step", [](Program& p) { p.loops.emplace_back().body = 1; }},
      {"(Need): body 0 is no memo body", [&](Program& p) { first(p, Opcode::Need).a = 0; }},
  };
  for (const Case& wrong : cases) {
    WithMemo p;
    p.goes_on = [&] { p.b.need(p.memo); };
    p.dying = {p.d, p.m};
    p.behind = [&] { p.b.move(p.z, p.x); };
    const auto program = p.build();
    CHECK(verdict(program) == "valid");
    wrong.broken(*program);
    CHECK_VERDICT(program, wrong.message);
  }
}

TEST_CASE("a step ends in its own loop's Again, or in Return") {
  Doubling outside;
  outside.behind = [&] { outside.b.again(outside.loop); };
  CHECK_VERDICT(outside.build(), "(Again): ends the program, which has to end in Halt");

  Doubling other;
  const Index second = other.b.loop("second", {}, {});
  other.bodies = [&] {
    other.b.step_body(second);
    other.b.again(other.loop);
  };
  const auto program = other.build();
  program->loops[second].branch = 0;
  CHECK_VERDICT(program, "(Again): ends a step of loop 1, which has to end in Return");
}

TEST_CASE("a step does not run its own loop") {
  Doubling p;
  p.head = [&] { p.b.run_loop(p.loop); };
  CHECK_VERDICT(p.build(), "a step of loop 0: needs itself");
}

TEST_CASE("what a step computed is gone where it ends") {
  Doubling last;
  last.dying_last = {last.s};
  CHECK_VERDICT(last.build(), "(Return): register 2 (t) may hold a value where the step ends");

  Doubling p;
  p.dying = {};
  CHECK_VERDICT(p.build(), "(Again): register 3 (d) may hold a value where the step ends");

  WithMemo memo;
  memo.goes_on = [&] { memo.b.need(memo.memo); };
  memo.behind = [&] { memo.b.move(memo.z, memo.x); };
  CHECK_VERDICT(memo.build(), "(Again): register 4 (m) may hold a value where the step ends");
}

TEST_CASE("what a step computed is not there behind the loop") {
  Doubling p;
  const Index z = p.b.output("z");
  p.behind = [&] { p.b.move(z, p.t); };
  CHECK_VERDICT(p.build(), "(Move): register 2 (t) is read before it is written");

  WithMemo memo;
  memo.leaves = [&] {
    memo.b.need(memo.memo);
    memo.b.retire({memo.m});
  };
  memo.behind = [&] { memo.b.move(memo.z, memo.m); };
  CHECK_VERDICT(memo.build(), "(Move): register 4 (m) is read before it is written");
}

TEST_CASE("what a loop leaves is there behind it, and not before") {
  Doubling p;
  const Index z = p.b.output("z");
  p.before = [&] { p.b.move(z, p.y); };
  CHECK_VERDICT(p.build(), "(Move): register 5 (y) is read before it is written");
}

TEST_CASE("a step does not retire what is outside of the loop: the next one reads it") {
  Doubling input;
  input.dying = {input.d, input.x};
  CHECK_VERDICT(input.build(), "(Retire): register 0 (x) is retired in a step of loop 0");

  WithInvariant fine;
  fine.goes_on = [&] { fine.b.need(fine.memo); };
  fine.behind = [&] {
    fine.b.need(fine.memo);
    fine.b.move(fine.z, fine.m);
    fine.b.retire({fine.m});
  };
  CHECK(verdict(fine.build()) == "valid");

  WithInvariant memo;  // only steps need it
  memo.goes_on = [&] { memo.b.need(memo.memo); };
  memo.dying = {memo.d, memo.m};
  memo.behind = [&] { memo.b.move(memo.z, memo.x); };
  CHECK_VERDICT(memo.build(), "(Retire): register 4 (m) is retired in a step of loop 0");
}

TEST_CASE("a body that is not of the loop reads nothing of a step") {
  Doubling p;
  const Index memo = p.b.memo("memo");
  p.goes_on = [&] { p.b.need(memo); };
  p.bodies = [&] {
    p.b.memo_body(memo);
    p.b.move(p.m, p.d);
    p.b.ret();
  };
  p.behind = [&] { p.b.retire({p.m}); };
  CHECK_VERDICT(p.build(), "memo body 1: register 3 (d) is read before it is written");
}

TEST_CASE("what a body outside computed in a step that goes on is not there for certain behind") {
  WithInvariant p;
  p.goes_on = [&] { p.b.need(p.memo); };
  p.behind = [&] {
    p.b.move(p.z, p.m);
    p.b.retire({p.m});
  };
  CHECK_VERDICT(p.build(), "(Move): register 4 (m) is read before it is written on some path");

  WithInvariant last;  // every loop ends in such a step
  last.leaves = [&] { last.b.need(last.memo); };
  last.behind = [&] {
    last.b.move(last.z, last.m);
    last.b.retire({last.m});
  };
  CHECK(verdict(last.build()) == "valid");
}

TEST_CASE("what one step decided the next one has not") {
  WithInvariant p;
  p.goes_on = [&] { p.b.need(p.memo); };
  p.leaves = [&] { p.b.move(p.z, p.m); };
  p.behind = [&] {
    p.b.need(p.memo);
    p.b.retire({p.m});
  };
  CHECK_VERDICT(p.build(), "register 4 (m) is read before it is written");
}

TEST_CASE("a loop begins all anew that belongs to its steps, and nothing else") {
  WithMemo forgotten;
  forgotten.head = [&] { forgotten.b.need(forgotten.memo); };
  const auto without = forgotten.build();
  without->loops[0].bodies.clear();
  CHECK_VERDICT(without, "body 1: its loop does not begin it anew in each step");

  WithInvariant once;
  const auto anew = once.build();
  anew->loops[0].bodies = {once.memo};
  CHECK_VERDICT(anew, "loop 0: a body that it begins anew belongs to another loop");

  Doubling lazy;
  const Index p = lazy.b.reg("p"), q = lazy.b.reg("q");
  lazy.b.lazy("lazy", {p}, {q}, pass_on());
  lazy.bodies = [&] {
    lazy.b.input_body(0, 0);
    lazy.b.move(p, lazy.x);
    lazy.b.ret();
  };
  const auto entered = lazy.build();
  entered->loops[0].lazies = {0};
  CHECK_VERDICT(entered, "loop 0: a lazy thunk that it begins anew belongs to another loop");
  entered->loops[0].lazies = {};
  entered->lazies[0].loop = 0;
  CHECK_VERDICT(entered, "lazy thunk 0: its loop does not begin it anew in each step");
}

}  // namespace
}  // namespace thunkvm
