// test_verifier_lazies.cpp: where the outputs of lazy thunks may be read, by who has demanded them.
#include "tests/cpp/verdict.h"

#include <doctest/doctest.h>

namespace thunkvm {
namespace {

using namespace testing;
using testing::Index;

/// y = u + m, where u is the output of a lazy thunk with the input p = x, and m a memo body's.
struct WithBoth {
  ProgramBuilder b;
  const Index x = b.input("x"), p = b.reg("p"), u = b.reg("u"), m = b.reg("m"), y = b.output("y");
  const Index lazy = b.lazy("lazy", {p}, {u}, pass_on()), memo = b.memo("memo");

  void end(Index input) {
    b.thunk("add", {u, m}, {y}, sum);
    b.retire({p, u, m});
    b.halt();
    b.input_body(lazy, 0);
    b.move(p, input);
    b.ret();
    b.memo_body(memo);
  }
};

TEST_CASE("an output is there for whoever needs a body that demands it") {
  WithBoth needed;
  needed.b.need(needed.memo);
  needed.end(needed.x);
  needed.b.demand(needed.lazy, 0);
  needed.b.move(needed.m, needed.u);
  needed.b.ret();
  CHECK(verdict(needed.b.build()) == "valid");

  WithBoth both;  // the program demands it too, in another memo body
  const Index other = both.b.memo("other"), z = both.b.output("z");
  both.b.need(both.memo);
  both.b.need(other);
  both.end(both.x);
  both.b.demand(both.lazy, 0);
  both.b.move(both.m, both.u);
  both.b.ret();
  both.b.memo_body(other);
  both.b.demand(both.lazy, 0);
  both.b.move(z, both.u);
  both.b.ret();
  CHECK(verdict(both.b.build()) == "valid");
}

TEST_CASE("a body that reads an output first and demands it then reads too early") {
  WithBoth early;
  early.b.need(early.memo);
  early.b.demand(early.lazy, 0);
  early.end(early.x);
  early.b.move(early.m, early.u);
  early.b.demand(early.lazy, 0);
  early.b.ret();
  CHECK_VERDICT(early.b.build(),
                "(Need): register 2 (u) is read before it is written on some path, in memo body 0");
}

TEST_CASE("what computes an input of a lazy thunk does not find the output that is demanded") {
  WithBoth circle;
  circle.b.demand(circle.lazy, 0);
  circle.b.need(circle.memo);
  circle.end(circle.u);
  circle.b.move(circle.m, circle.x);
  circle.b.ret();
  CHECK_VERDICT(circle.b.build(),
                "(Lazy): register 2 (u) is read before it is written on some path, in the body of "
                "input 0 of lazy thunk 0");
}

TEST_CASE("an output that nobody demands is read by nobody") {
  WithBoth undemanded;
  undemanded.b.need(undemanded.memo);
  undemanded.b.retire({undemanded.m});
  undemanded.b.move(undemanded.y, undemanded.x);
  undemanded.b.halt();
  undemanded.b.memo_body(undemanded.memo);
  undemanded.b.move(undemanded.m, undemanded.u);
  undemanded.b.ret();
  undemanded.b.input_body(undemanded.lazy, 0);
  undemanded.b.ret();
  CHECK_VERDICT(undemanded.b.build(), "register 2 (u) is read before it is written on some path");
}

}  // namespace
}  // namespace thunkvm
