// test_verifier_bodies.cpp: what memo bodies, and those of lazy thunks' inputs, may read, write and
// retire, by all the instructions that enter them.
#include "tests/cpp/verdict.h"

#include <doctest/doctest.h>

#include <utility>

namespace thunkvm {
namespace {

using namespace testing;
using testing::Index;

/// A memo body that squares x into m, needed as the test says.
struct WithMemo {
  WithMemo() {
    b.jump(start);
    b.memo_body(memo);
    b.thunk("square", {x, x}, {m}, product);
    b.ret();
    b.place(start);
  }
  ProgramBuilder b;
  const Index c = b.input("c"), x = b.input("x"), m = b.reg("m"), y = b.output("y");
  const Index start = b.label(), memo = b.memo("memo");
};

TEST_CASE("memo bodies do not need each other in a circle") {
  ProgramBuilder b;
  const Index first = b.memo("first"), second = b.memo("second");
  b.need(first);
  b.halt();
  b.memo_body(first);
  b.need(second);
  b.ret();
  b.memo_body(second);
  b.need(first);
  b.ret();
  CHECK_VERDICT(b.build(), "memo body 0: needs itself");
}

TEST_CASE("a memo body that a circle needs is not in the circle") {
  ProgramBuilder b;
  const Index last = b.memo("last"), first = b.memo("first"), second = b.memo("second");
  b.need(first);
  b.halt();
  b.memo_body(last);
  b.ret();
  b.memo_body(first);
  b.need(second);
  b.ret();
  b.memo_body(second);
  b.need(last);
  b.need(first);
  b.ret();
  CHECK_VERDICT(b.build(), "memo body 1: needs itself: bodies may not recurse");
}

TEST_CASE("a memo body is held against every Need of it") {
  WithMemo fine;
  const Index no = fine.b.label(), yes = fine.b.label();
  fine.b.branch("ifelse", fine.c, {no, yes});
  fine.b.place(yes);
  fine.b.need(fine.memo);
  fine.b.place(no);
  fine.b.need(fine.memo);
  fine.b.move(fine.y, fine.m);
  fine.b.retire({fine.m});
  fine.b.halt();
  CHECK(verdict(fine.b.build()) == "valid");

  WithMemo early;
  early.b.retire({early.x});
  early.b.need(early.memo);
  early.b.move(early.y, early.m);
  early.b.retire({early.m});
  early.b.halt();
  CHECK_VERDICT(early.b.build(), "(Need): register 1 (x) is read after it was retired");

  WithMemo done;  // it ran for certain before x was retired
  done.b.need(done.memo);
  done.b.retire({done.x});
  done.b.need(done.memo);
  done.b.move(done.y, done.m);
  done.b.retire({done.m});
  done.b.halt();
  CHECK(verdict(done.b.build()) == "valid");

  WithMemo no_need;
  no_need.b.move(no_need.y, no_need.m);
  no_need.b.halt();
  CHECK_VERDICT(no_need.b.build(), "(Move): register 2 (m) is read before it is written");

  WithMemo maybe;
  const Index skip = maybe.b.label(), run = maybe.b.label();
  maybe.b.branch("ifelse", maybe.c, {skip, run});
  maybe.b.place(run);
  maybe.b.need(maybe.memo);
  maybe.b.place(skip);
  maybe.b.move(maybe.y, maybe.x);
  maybe.b.halt();
  CHECK_VERDICT(maybe.b.build(), "register 2 (m) may hold a value at the end of the call");

  WithMemo written;
  written.b.thunk("one", {}, {written.m}, product);
  written.b.move(written.y, written.m);
  written.b.retire({written.m});
  written.b.halt();
  CHECK_VERDICT(written.b.build(), "register 2 (m) is written in two bodies");

  WithMemo again;
  again.b.need(again.memo);
  again.b.retire({again.m});
  again.b.need(again.memo);
  again.b.move(again.y, again.m);
  again.b.halt();
  CHECK_VERDICT(again.b.build(), "register 2 (m) is read after it was retired");
}

TEST_CASE("a value that one arm needed and retired is not there for what comes after the arms") {
  WithMemo p;
  const Index no = p.b.label(), yes = p.b.label();
  p.b.branch("ifelse", p.c, {no, yes});
  p.b.place(yes);
  p.b.need(p.memo);
  p.b.retire({p.m});
  p.b.place(no);
  p.b.need(p.memo);
  p.b.move(p.y, p.m);
  p.b.retire({p.m});
  p.b.halt();
  CHECK_VERDICT(p.b.build(), "(Move): register 2 (m) is read after it was retired on some path");
}

TEST_CASE("a value that a memo body leaves on some of its paths only is not there") {
  ProgramBuilder b;
  const Index c = b.input("c"), m = b.reg("m"), y = b.output("y");
  const Index memo = b.memo("memo"), no = b.label(), yes = b.label();
  b.need(memo);
  b.move(y, m);
  b.retire({m});
  b.halt();
  b.memo_body(memo);
  b.branch("ifelse", c, {no, yes});
  b.place(yes);
  b.thunk("one", {}, {m}, product);
  b.place(no);
  b.ret();
  CHECK_VERDICT(b.build(),
                "instruction 1 (Move): register 1 (m) is read before it is written on some path");
}

TEST_CASE("a memo body reads what it wrote only after it wrote it") {
  ProgramBuilder b;
  const Index c = b.input("c"), t = b.reg("t"), m = b.reg("m"), y = b.output("y");
  const Index memo = b.memo("memo"), no = b.label(), yes = b.label();
  b.need(memo);
  b.move(y, m);
  b.retire({m});
  b.halt();
  b.memo_body(memo);
  b.branch("ifelse", c, {no, yes});
  b.place(yes);
  b.thunk("one", {}, {t}, product);
  b.place(no);
  b.thunk("copy", {t}, {m}, sum, {t});
  b.ret();
  CHECK_VERDICT(b.build(), "memo body 0: register 1 (t) is read before it is written on some path");
}

/// A lazy thunk of two inputs, p = x*x and q = x, and one output.
struct WithLazy {
  WithLazy() {
    b.jump(start);
    b.input_body(lazy, 0);
    b.thunk("square", {x, x}, {p}, product);
    b.ret();
    b.input_body(lazy, 1);
    b.move(q, x);
    b.ret();
    b.place(start);
  }
  ProgramBuilder b;
  const Index x = b.input("x"), p = b.reg("p"), q = b.reg("q"), y = b.output("y");
  const Index lazy = b.lazy("lazy", {p, q}, {y}, pass_on());
  const Index start = b.label();
};

TEST_CASE("any input of a lazy thunk may have been computed, or none") {
  WithLazy fine;
  fine.b.demand(fine.lazy, 0);
  fine.b.retire({fine.p, fine.q, fine.x});
  fine.b.halt();
  CHECK(verdict(fine.b.build()) == "valid");

  WithLazy left;
  left.b.demand(left.lazy, 0);
  left.b.retire({left.p});
  left.b.halt();
  CHECK_VERDICT(left.b.build(), "register 2 (q) may hold a value at the end of the call");

  WithLazy read;
  const Index z = read.b.output("z");
  read.b.demand(read.lazy, 0);
  read.b.move(z, read.p);
  read.b.retire({read.p, read.q});
  read.b.halt();
  CHECK_VERDICT(read.b.build(), "(Move): register 1 (p) is read before it is written on some path");

  WithLazy early;
  early.b.retire({early.x});
  early.b.demand(early.lazy, 0);
  early.b.halt();
  CHECK_VERDICT(early.b.build(), "(Lazy): register 0 (x) is read after it was retired");

  WithLazy undemanded;
  undemanded.b.halt();
  CHECK_VERDICT(undemanded.b.build(), "register 3 (y) is an output, but has no value");

  WithLazy retired;
  retired.b.demand(retired.lazy, 0);
  retired.b.retire({retired.y, retired.p, retired.q});
  retired.b.demand(retired.lazy, 0);
  retired.b.halt();
  CHECK_VERDICT(retired.b.build(), "register 3 (y) is demanded after it was retired");

  WithLazy written;
  written.b.thunk("one", {}, {written.y}, product);
  written.b.halt();
  CHECK_VERDICT(written.b.build(), "register 3 (y) is written in two bodies");
}

TEST_CASE("the body of a lazy thunk's input leaves that input") {
  ProgramBuilder nothing;
  const Index p = nothing.reg("p"), y = nothing.output("y");
  const Index lazy = nothing.lazy("lazy", {p}, {y}, pass_on());
  nothing.demand(lazy, 0);
  nothing.halt();
  nothing.input_body(lazy, 0);
  nothing.ret();
  CHECK_VERDICT(nothing.build(),
                "instruction 0 (Lazy): register 0 (p) is read before it is written");

  ProgramBuilder retires;
  const Index q = retires.reg("q"), z = retires.output("z");
  const Index other = retires.lazy("lazy", {q}, {z}, pass_on());
  retires.demand(other, 0);
  retires.halt();
  retires.input_body(other, 0);
  retires.thunk("one", {}, {q}, product, {q});
  retires.ret();
  CHECK_VERDICT(retires.build(), "is retired in the body of input 0 of lazy thunk 0");
}

TEST_CASE("the outermost Need has to have what a memo body within reads, unless that ran") {
  const auto program = [](bool needed_first, bool in_one_arm) {
    ProgramBuilder b;
    const Index c = b.input("c"), x = b.input("x"), inner_value = b.reg("inner value"),
                m = b.reg("m"), y = b.output("y");
    const Index outer = b.memo("outer"), inner = b.memo("inner"), no = b.label(), yes = b.label();
    if (in_one_arm) {
      b.branch("ifelse", c, {no, yes});
      b.place(no);
    }
    if (needed_first) b.need(inner);
    if (in_one_arm) b.place(yes);
    b.retire({x});
    b.need(outer);
    b.move(y, m);
    b.retire({m, inner_value});
    b.halt();
    b.memo_body(outer);
    b.need(inner);
    b.move(m, inner_value);
    b.ret();
    b.memo_body(inner);
    b.move(inner_value, x);
    b.ret();
    return b.build();
  };
  CHECK(verdict(program(true, false)) == "valid");
  CHECK_VERDICT(program(false, false), "(Need): register 1 (x) is read after it was retired");
  CHECK_VERDICT(program(true, true), "(Need): register 1 (x) is read after it was retired");
}

TEST_CASE("what a memo body computes is not retired before the last body that may read it") {
  const auto program = [](bool early) {
    ProgramBuilder b;
    const Index x = b.input("x"), common = b.reg("common"), p = b.reg("p"), q = b.reg("q"),
                y = b.output("y");
    const Index inner = b.memo("inner"), first = b.memo("first"), second = b.memo("second");
    b.need(first);
    if (early) b.retire({common});
    b.need(second);
    b.thunk("plus", {p, q}, {y}, sum, {p, q});
    b.retire({common});
    b.halt();
    b.memo_body(inner);
    b.move(common, x);
    b.ret();
    for (const auto& [memo, to] : {std::pair(first, p), std::pair(second, q)}) {
      b.memo_body(memo);
      b.need(inner);
      b.move(to, common);
      b.ret();
    }
    return b.build();
  };
  CHECK(verdict(program(false)) == "valid");
  CHECK_VERDICT(program(true), "(Need): register 1 (common) is read after it was retired");
}

TEST_CASE(
    "a register is retired where it was written or around it, and no other body waits for it") {
  WithMemo elsewhere;
  const Index other = elsewhere.b.memo("other");
  elsewhere.b.need(elsewhere.memo);
  elsewhere.b.move(elsewhere.y, elsewhere.m);
  elsewhere.b.need(other);
  elsewhere.b.halt();
  elsewhere.b.memo_body(other);
  elsewhere.b.retire({elsewhere.m});
  elsewhere.b.ret();
  CHECK_VERDICT(elsewhere.b.build(), "(Retire): register 2 (m) is retired in memo body 1");

  WithMemo unneeded;  // the other body relies on the program to have needed the memo
  const Index reader = unneeded.b.memo("reader"), z = unneeded.b.reg("z");
  unneeded.b.need(unneeded.memo);
  unneeded.b.need(reader);
  unneeded.b.move(unneeded.y, z);
  unneeded.b.retire({unneeded.m, z});
  unneeded.b.halt();
  unneeded.b.memo_body(reader);
  unneeded.b.move(z, unneeded.m);
  unneeded.b.ret();
  CHECK_VERDICT(unneeded.b.build(),
                "memo body 1: register 2 (m) is read before it is written on some path");
}

TEST_CASE("bodies within read the output of a lazy thunk that a body around them demanded") {
  const auto program = [](bool demanded_first) {
    ProgramBuilder b;
    const Index x = b.input("x"), p = b.reg("p"), u = b.reg("u"), m = b.reg("m"), y = b.output("y");
    const Index lazy = b.lazy("lazy", {p}, {u}, pass_on()), memo = b.memo("memo");
    if (demanded_first) b.demand(lazy, 0);
    b.need(memo);
    if (!demanded_first) b.demand(lazy, 0);
    b.move(y, m);
    b.retire({p, u, m});
    b.halt();
    b.memo_body(memo);
    b.move(m, u);
    b.ret();
    b.input_body(lazy, 0);
    b.move(p, x);
    b.ret();
    return b.build();
  };
  CHECK(verdict(program(true)) == "valid");
  CHECK_VERDICT(program(false),
                "(Need): register 2 (u) is read before it is written on some path, in memo body 0");
}

TEST_CASE("inputs and outputs of a lazy thunk live through its last demand") {
  const auto program = [](bool early) {
    ProgramBuilder b;
    const Index x = b.input("x"), p = b.reg("p"), y = b.output("y"), z = b.output("z");
    const Index lazy = b.lazy("lazy", {p}, {y, z}, pass_on());
    b.demand(lazy, 0);
    if (early) b.retire({p});
    b.demand(lazy, 1);
    b.retire({p});
    b.halt();
    b.input_body(lazy, 0);
    b.move(p, x);
    b.ret();
    return b.build();
  };
  CHECK(verdict(program(false)) == "valid");
  CHECK_VERDICT(program(true), "(Lazy): register 1 (p) is read after it was retired");
}

}  // namespace
}  // namespace thunkvm
