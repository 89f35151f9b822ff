// test_verifier_decisions.cpp: what later branches on one selector know of the earlier ones.
#include "tests/cpp/verdict.h"

#include <doctest/doctest.h>

#include <functional>
#include <initializer_list>
#include <vector>

namespace thunkvm {
namespace {

using namespace testing;
using testing::Index;

/// Three branches on one selector, one after the other; what stands in the arms is the test's.
struct Correlated {
  using Arm = std::function<void(ProgramBuilder&)>;
  void branch(Index selector, const Arm& no, const Arm& yes, Decoding decoding = Decoding::Truth) {
    const Index first = b.label(), second = b.label(), end = b.label();
    b.branch("ifelse", selector, {first, second}, decoding);
    b.place(first);
    no(b);
    b.jump(end);
    b.place(second);
    yes(b);
    b.place(end);
  }
  static void nothing(ProgramBuilder&) {}
  Arm write(Index to) const {
    return [to](ProgramBuilder& b) { b.thunk("one", {}, {to}, product); };
  }
  Arm read(Index from, Index to) const {
    return [from, to](ProgramBuilder& b) { b.thunk("copy", {from}, {to}, sum, {from}); };
  }
  ProgramBuilder b;
  const Index c = b.input("c"), d = b.input("d"), x = b.input("x"), t = b.reg("t"),
              y = b.output("y");
};

TEST_CASE("what an arm wrote, a later branch on the same selector reads in that arm") {
  Correlated fine;
  fine.branch(fine.c, fine.write(fine.t), fine.nothing);
  fine.branch(fine.c, fine.read(fine.t, fine.y), fine.write(fine.y));
  fine.b.halt();
  CHECK(verdict(fine.b.build()) == "valid");

  Correlated other_arm;
  other_arm.branch(other_arm.c, other_arm.write(other_arm.t), other_arm.nothing);
  other_arm.branch(other_arm.c, other_arm.write(other_arm.y),
                   other_arm.read(other_arm.t, other_arm.y));
  other_arm.b.halt();
  CHECK_VERDICT(other_arm.b.build(),
                "(Run): register 3 (t) is read before it is written on some path");

  Correlated other_selector;
  other_selector.branch(other_selector.c, other_selector.write(other_selector.t),
                        other_selector.nothing);
  other_selector.branch(other_selector.d, other_selector.read(other_selector.t, other_selector.y),
                        other_selector.write(other_selector.y));
  other_selector.b.halt();
  CHECK_VERDICT(other_selector.b.build(),
                "register 3 (t) is read before it is written on some path");

  Correlated other_decoding;
  other_decoding.branch(other_decoding.c, other_decoding.write(other_decoding.t),
                        other_decoding.nothing);
  other_decoding.branch(other_decoding.c, other_decoding.read(other_decoding.t, other_decoding.y),
                        other_decoding.write(other_decoding.y), Decoding::Index);
  other_decoding.b.halt();
  CHECK_VERDICT(other_decoding.b.build(),
                "register 3 (t) is read before it is written on some path");
}

TEST_CASE(
    "what an arm retired is retired in that arm of later branches, and has to be in the others") {
  Correlated fine;
  fine.b.thunk("one", {}, {fine.t}, product);
  fine.branch(fine.c, [&](ProgramBuilder& b) { b.retire({fine.t}); }, fine.nothing);
  fine.branch(fine.c, fine.write(fine.y), fine.read(fine.t, fine.y));
  fine.b.halt();
  CHECK(verdict(fine.b.build()) == "valid");

  Correlated read;
  read.b.thunk("one", {}, {read.t}, product);
  read.branch(read.c, [&](ProgramBuilder& b) { b.retire({read.t}); }, read.nothing);
  read.branch(read.c, read.read(read.t, read.y), read.write(read.y));
  read.b.halt();
  CHECK_VERDICT(read.b.build(), "register 3 (t) is read after it was retired");

  Correlated left;
  left.branch(left.c, left.write(left.t), left.nothing);
  left.branch(left.c, left.write(left.y), [&](ProgramBuilder& b) {
    b.retire({left.t}), b.thunk("one", {}, {left.y}, product);
  });
  left.b.halt();
  CHECK_VERDICT(left.b.build(),
                "the program: register 3 (t) may hold a value at the end of the call");
}

TEST_CASE("decisions within decisions are followed, whatever stands outside") {
  Correlated fine;
  const auto both = [&](const Correlated::Arm& arm, const Correlated::Arm& other) {
    fine.branch(fine.c, [&](ProgramBuilder&) { fine.branch(fine.d, arm, other); }, other);
  };
  const auto turned = [&](const Correlated::Arm& arm, const Correlated::Arm& other) {
    fine.branch(fine.d, [&](ProgramBuilder&) { fine.branch(fine.c, arm, other); }, other);
  };
  both(fine.write(fine.t), fine.nothing);
  turned(fine.read(fine.t, fine.y), fine.write(fine.y));
  fine.b.halt();
  CHECK(verdict(fine.b.build()) == "valid");

  Correlated again;  // the inner branch cannot go the other way
  again.branch(
      again.c,
      [&](ProgramBuilder&) {
        again.branch(again.c, again.write(again.y), again.read(again.t, again.y));
      },
      again.write(again.y));
  again.b.halt();
  CHECK(verdict(again.b.build()) == "valid");
}

TEST_CASE("each arm of a switch is a decision of its own, the default too") {
  for (const Index wrong : std::initializer_list<Index>{kNone, 0, 1, 2, 3, 4}) {
    ProgramBuilder b;
    const Index s = b.input("s"), y = b.output("y");
    std::vector<Index> t;
    for (Index arm = 0; arm < 5; ++arm) t.push_back(b.reg("t"));
    for (const bool writes : {true, false}) {
      const Index end = b.label();
      const std::vector<Index> arms = {b.label(), b.label(), b.label(), b.label(), b.label()};
      b.branch("switch", s, arms, Decoding::IndexOrDefault);
      for (Index arm = 0; arm < 5; ++arm) {
        b.place(arms[arm]);
        if (writes)
          b.thunk("one", {}, {t[arm]}, product);
        else
          b.thunk("copy", {t[arm == wrong ? (arm + 1) % 5 : arm]}, {y}, sum, {t[arm]});
        b.jump(end);
      }
      b.place(end);
    }
    b.halt();
    CAPTURE(wrong);
    if (wrong == kNone)
      CHECK(verdict(b.build()) == "valid");
    else
      CHECK_VERDICT(b.build(), "is read before it is written on some path");
  }
}

TEST_CASE("a memo or input body reads under the decisions of those that enter it") {
  // t is written where c is false. That body decides c again, and reads t there, or in the other
  // arm.
  const auto program = [](bool by_memo, bool right_arm) {
    Correlated p;
    const Index m = p.b.reg("m"), u = p.b.reg("u");
    p.branch(p.c, p.write(p.t), p.nothing);
    const Index body = by_memo ? p.b.memo("memo") : p.b.lazy("lazy", {m}, {u}, pass_on());
    if (by_memo)
      p.b.need(body);
    else
      p.b.demand(body, 0);
    p.b.thunk("copy", {by_memo ? m : u}, {p.y}, sum, {m, p.t, u});
    p.b.halt();
    if (by_memo)
      p.b.memo_body(body);
    else
      p.b.input_body(body, 0);
    const Correlated::Arm copy = [&](ProgramBuilder& b) { b.move(m, p.t); };
    if (right_arm)
      p.branch(p.c, copy, p.write(m));
    else
      p.branch(p.c, p.write(m), copy);
    p.b.ret();
    return p.b.build();
  };
  CHECK(verdict(program(true, true)) == "valid");
  CHECK(verdict(program(false, true)) == "valid");
  CHECK_VERDICT(program(true, false),
                "(Need): register 3 (t) is read before it is written on some path, in memo body 0");
  CHECK_VERDICT(program(false, false),
                "(Lazy): register 3 (t) is read before it is written on some path, in the body of "
                "input 0 of lazy thunk 0");
}

}  // namespace
}  // namespace thunkvm
