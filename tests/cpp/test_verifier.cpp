// test_verifier.cpp: each rule of a valid program, broken once; and programs that are valid in ways
// that look odd.
#include "tests/cpp/assembler.h"
#include "thunks/demand.h"
#include "vm/verifier.h"

#include <doctest/doctest.h>

#include <functional>
#include <stdexcept>
#include <utility>

namespace thunkvm {
namespace {

using namespace testing;

/// The message of the error that `verify` throws, or "valid".
std::string verdict(const std::shared_ptr<Program>& program) {
  try {
    verify(*program);
    return "valid";
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::Runtime);
    return error.what();
  }
}

/// Holds a verdict against a part of the expected message, and prints it where they differ.
#define CHECK_VERDICT(program, part)              \
  do {                                            \
    const std::string message = verdict(program); \
    CAPTURE(message);                             \
    CHECK(has(message, part));                    \
  } while (false)

ThunkCode pass_on() {
  return straight_line([](Demand& demand) { demand.set_output(0, demand.force(0)); });
}

/// y = c ? x*x : x+x, with a memo body, a lazy thunk and an update: something of everything.
struct Valid {
  Valid() {
    b.branch("ifelse", c, {no, yes});
    b.place(no);
    b.thunk("plus", {x, x}, {t}, sum);
    b.jump(end);
    b.place(yes);
    b.need(memo);
    b.move(t, m);
    b.place(end);
    b.demand(lazy, 0);
    b.thunk("add", {t, u, k}, {y}, sum, {t, u, v, m});
    b.move(w, x);
    b.halt();
    b.body(memo);
    b.thunk("square", {x, x}, {m}, product);
    b.ret();
    b.input_body(lazy, 0);
    b.need(memo);
    b.move(v, m);
    b.ret();
  }
  ProgramBuilder b;
  const Index c = b.input("c"), x = b.input("x"), k = b.constant("k", Cell::of(1.0));
  const Index t = b.reg("t"), m = b.reg("m"), v = b.reg("v"), u = b.reg("u"), y = b.output("y"),
              w = b.update("w");
  const Index no = b.label(), yes = b.label(), end = b.label();
  const Index memo = b.memo("memo");
  const Index lazy = b.lazy("lazy", {v}, {u}, pass_on());
};

TEST_CASE("a program with something of everything is valid, and runs") {
  Valid valid;
  CHECK(verdict(valid.b.build()) == "valid");
  Machine machine(valid.b.build());
  CHECK(machine.call({1.0, 3.0}) == Values{19.0});
  CHECK(machine.call({0.0, 3.0}) == Values{16.0});
  CHECK(machine.frame.empty());
}

TEST_CASE("an index out of range is found wherever it stands") {
  using Break = std::function<void(Program&)>;
  struct Case {
    const char* message;
    Break broken;
  };
  const auto first = [](Program& p, Opcode op) -> Instruction& {
    for (Instruction& instruction : p.code)
      if (instruction.op == op) return instruction;
    throw std::out_of_range("no such instruction");
  };
  const std::vector<Case> cases = {
      {"the operand lists: register 99 does not exist, there are 9",
       [](Program& p) { p.registers[0] = 99; }},
      {"the retire lists: register 99", [](Program& p) { p.retires[0] = 99; }},
      {"the inputs: register 99", [](Program& p) { p.inputs[0] = 99; }},
      {"the shared values: register 99", [](Program& p) { p.shared.push_back(99); }},
      {"the outputs: register 99", [](Program& p) { p.outputs[0] = 99; }},
      {"the updates: register 99", [](Program& p) { p.updates[0] = 99; }},
      {"the constants: register 99", [](Program& p) { p.constants[0].first = 99; }},
      {"the constants: register 2 (k) has no value",
       [](Program& p) { p.constants[0].second.clear(); }},
      {"the constants: register 2 (k) is given twice",
       [](Program& p) { p.constants.push_back(p.constants[0]); }},
      {"the inputs: register 0 (c) is given twice", [](Program& p) { p.inputs.push_back(0); }},
      {"step 0: has no code", [](Program& p) { p.steps[0].run = nullptr; }},
      {"step 0: node 99", [](Program& p) { p.steps[0].node = 99; }},
      {"step 0: its operand list is not a part",
       [](Program& p) { p.steps[0].operands.registers = nullptr; }},
      {"step 0: its operand list is not a part",
       [](Program& p) { p.steps[0].operands.n_inputs = 9999; }},
      {"step 0: bound thunk 7 does not exist",
       [](Program& p) {
         p.steps[0].run = run_bound;
         p.steps[0].operands.bound = 7;
       }},
      {"step 1: retire list entries 0 to 98 do not all exist",
       [](Program& p) { p.steps[1].retire_count = 99; }},
      {"step 0: register 1 (x) dies here, but the step does not retire it",
       [](Program& p) { p.steps[0].operands.dying = 1; }},
      {"branch 0: register 99", [](Program& p) { p.branches[0].selector = 99; }},
      {"branch 0: targets 0 to 2 do not all exist",
       [](Program& p) {
         p.branches[0].decoding = Decoding::Index;
         p.branches[0].n_arms = 3;
       }},
      {"branch 0: a truth value picks one of two arms",
       [](Program& p) { p.branches[0].n_arms = 1; }},
      {"branch 0: has no arms",
       [](Program& p) {
         p.branches[0].decoding = Decoding::Index;
         p.branches[0].n_arms = 0;
       }},
      {"branch 0: counters", [](Program& p) { p.branches[0].first_counter = p.n_counters - 1; }},
      {"branch 0: instruction 99", [](Program& p) { p.targets[1] = 99; }},
      {"branch 0: node 99", [](Program& p) { p.branches[0].node = 99; }},
      {"memo 0: instruction 99", [](Program& p) { p.memos[0].pc = 99; }},
      {"memo 0: node 99", [](Program& p) { p.memos[0].node = 99; }},
      {"lazy thunk 0: node 99", [](Program& p) { p.lazies[0].node = 99; }},
      {"lazy thunk 0: its operand list is not a part",
       [](Program& p) { p.lazies[0].operands.n_outputs = 9999; }},
      {"lazy thunk 0: bound thunk 99", [](Program& p) { p.lazies[0].operands.bound = 99; }},
      {"lazy thunk 0: its thunk is not lazy", [](Program& p) { p.bound[0].lazy = false; }},
      {"lazy thunk 0: needs one body for each input",
       [](Program& p) { p.lazies[0].input_pcs.clear(); }},
      {"lazy thunk 0: instruction 99", [](Program& p) { p.lazies[0].input_pcs[0] = 99; }},
      {"lazy thunk 0: counters", [](Program& p) { p.lazies[0].counter = p.n_counters - 1; }},
      {"bound thunk 0: has no maker", [](Program& p) { p.bound[0].make = nullptr; }},
      {"the node counters: counter 99", [](Program& p) { p.node_counters[0].counter = 99; }},
      {"the node counters: node 99", [](Program& p) { p.node_counters.back().node = 99; }},
      {"the node counters: are not sorted", [](Program& p) { p.node_counters[0].node = 5; }},
      {"the code: is empty",
       [](Program& p) {
         p.code.clear();
         p.branches.clear();
         p.memos.clear();
         p.lazies.clear();
       }},
      {"(Run): runs no step", [&](Program& p) { first(p, Opcode::Run).b = 0; }},
      {"(Run): steps 0 to 98", [&](Program& p) { first(p, Opcode::Run).b = 99; }},
      {"(Run): counter 99", [&](Program& p) { first(p, Opcode::Run).c = 99; }},
      {"(Branch): branch 99", [&](Program& p) { first(p, Opcode::Branch).a = 99; }},
      {"(Jump): instruction 99", [&](Program& p) { first(p, Opcode::Jump).a = 99; }},
      {"(Move): register 99 does not exist", [&](Program& p) { first(p, Opcode::Move).a = 99; }},
      {"(Move): register 98 does not exist", [&](Program& p) { first(p, Opcode::Move).b = 98; }},
      {"(Move): counter 99", [&](Program& p) { first(p, Opcode::Move).c = 99; }},
      {"(Need): memo 99", [&](Program& p) { first(p, Opcode::Need).a = 99; }},
      {"(Lazy): lazy thunk 99", [&](Program& p) { first(p, Opcode::Lazy).a = 99; }},
      {"(Lazy): output 1 does not exist, there are 1",
       [&](Program& p) { first(p, Opcode::Lazy).b = 1; }},
      {"opcode 77 does not exist", [&](Program& p) { first(p, Opcode::Move).op = Opcode{77}; }},
      {"keeps its values", [](Program& p) { p.keep = true; }},
  };
  for (const Case& c : cases) {
    const auto program = Valid().b.build();
    c.broken(*program);
    CAPTURE(c.message);
    CHECK_VERDICT(program, c.message);
  }
}

TEST_CASE("constants are not retired or taken, nor anything in a keep program") {
  ProgramBuilder retired;
  const Index k = retired.constant("k", Cell::of(1.0));
  retired.retire({k});
  retired.halt();
  CHECK_VERDICT(retired.build(),
                "instruction 0 (Retire): register 0 (k) is retired, but it is a constant");

  ProgramBuilder taken;
  const Index c = taken.constant("c", Cell::of(1.0)), y = taken.output("y");
  taken.move(y, c, true);
  taken.halt();
  CHECK_VERDICT(taken.build(), "register 0 (c) is taken, but it is a constant");

  ProgramBuilder branched;
  const Index selector = branched.constant("selector", Cell::of(true)), end = branched.label();
  branched.branch("ifelse", selector, {end, end});
  branched.place(end);
  branched.halt();
  const auto program = branched.build();
  CHECK(verdict(program) == "valid");
  program->code[0].flag = kTake;
  CHECK_VERDICT(program,
                "instruction 0 (Branch): register 0 (selector) is taken, but it is a constant");

  ProgramBuilder kept;
  const Index x = kept.input("x"), z = kept.output("z");
  kept.move(z, x, true);
  kept.halt();
  kept.keep();
  CHECK_VERDICT(kept.build(), "takes a register in a program that keeps its values");
}

TEST_CASE("operands are whole") {
  ProgramBuilder b;
  const Index y = b.output("y");
  b.thunk("twins", {}, {y, y}, sum);
  b.halt();
  CHECK_VERDICT(b.build(), "step 0: register 0 (y) is two of its outputs");
}

TEST_CASE("every path ends, each body in its own way") {
  ProgramBuilder runs_out;
  runs_out.thunk("one", {}, {runs_out.output("y")}, product);
  CHECK_VERDICT(runs_out.build(), "instruction 0 (Run): the path runs past the end of the code");

  ProgramBuilder circle;
  const Index start = circle.label();
  circle.place(start);
  circle.jump(start);
  CHECK_VERDICT(circle.build(), "instruction 0 (Jump): the path comes back to itself");

  ProgramBuilder returns;
  returns.ret();
  CHECK_VERDICT(returns.build(),
                "instruction 0 (Return): ends the program, which has to end in Halt");

  ProgramBuilder halts;
  const Index memo = halts.memo("memo");
  halts.need(memo);
  halts.halt();
  halts.body(memo);
  halts.halt();
  CHECK_VERDICT(halts.build(),
                "instruction 2 (Halt): ends memo body 0, which has to end in Return");
}

TEST_CASE("bodies do not need each other in a circle") {
  ProgramBuilder b;
  const Index first = b.memo("first"), second = b.memo("second");
  b.need(first);
  b.halt();
  b.body(first);
  b.need(second);
  b.ret();
  b.body(second);
  b.need(first);
  b.ret();
  CHECK_VERDICT(b.build(), "memo body 0: needs itself");
}

TEST_CASE("a register is written before it is read, on every path") {
  ProgramBuilder never;
  const Index t = never.reg("t"), y = never.output("y");
  never.thunk("copy", {t}, {y}, sum);
  never.halt();
  CHECK_VERDICT(never.build(),
                "instruction 0 (Run): register 0 (t) is read before it is written on some path");

  ProgramBuilder one_arm;
  const Index c = one_arm.input("c"), u = one_arm.reg("u"), z = one_arm.output("z");
  const Index no = one_arm.label(), yes = one_arm.label();
  one_arm.branch("ifelse", c, {no, yes});
  one_arm.place(yes);
  one_arm.thunk("one", {}, {u}, product);
  one_arm.place(no);
  one_arm.thunk("copy", {u}, {z}, sum, {u});
  one_arm.halt();
  CHECK_VERDICT(one_arm.build(), "register 1 (u) is read before it is written on some path");

  ProgramBuilder selector;
  const Index s = selector.reg("s"), end = selector.label();
  selector.branch("ifelse", s, {end, end});
  selector.place(end);
  selector.halt();
  CHECK_VERDICT(selector.build(), "instruction 0 (Branch): register 0 (s) is read before");

  ProgramBuilder moved;
  const Index from = moved.reg("from"), to = moved.output("to");
  moved.move(to, from);
  moved.halt();
  CHECK_VERDICT(moved.build(), "instruction 0 (Move): register 0 (from) is read before");
}

TEST_CASE("a register is written once on a path, and never after its retire") {
  ProgramBuilder twice;
  const Index y = twice.output("y");
  twice.thunk("one", {}, {y}, product);
  twice.thunk("two", {}, {y}, product);
  twice.halt();
  CHECK_VERDICT(twice.build(), "register 0 (y) is written twice on some path");

  ProgramBuilder input;
  const Index x = input.input("x");
  input.thunk("one", {}, {x}, product);
  input.halt();
  CHECK_VERDICT(input.build(),
                "register 0 (x) is written, but it is a constant or given by the caller");

  ProgramBuilder after;
  const Index z = after.output("z");
  after.retire({z});
  after.thunk("one", {}, {z}, product);
  after.halt();
  CHECK_VERDICT(after.build(), "register 0 (z) is written twice");
}

TEST_CASE("a register is not read after its retire") {
  ProgramBuilder b;
  const Index x = b.input("x"), t = b.reg("t"), y = b.output("y");
  b.thunk("square", {x, x}, {t}, product, {x});
  b.thunk("plus", {t, x}, {y}, sum, {t});
  b.halt();
  CHECK_VERDICT(b.build(), "instruction 0 (Run): register 0 (x) is read after it was retired");

  ProgramBuilder arm;
  const Index c = arm.input("c"), w = arm.input("w"), z = arm.output("z");
  const Index no = arm.label(), yes = arm.label();
  arm.branch("ifelse", c, {no, yes});
  arm.place(yes);
  arm.retire({w});
  arm.place(no);
  arm.move(z, w);
  arm.halt();
  CHECK_VERDICT(arm.build(),
                "instruction 2 (Move): register 1 (w) is read after it was retired on some path");

  ProgramBuilder taken;
  const Index v = taken.input("v"), p = taken.output("p"), q = taken.output("q");
  taken.move(p, v, true);
  taken.move(q, v);
  taken.halt();
  CHECK_VERDICT(taken.build(), "instruction 1 (Move): register 0 (v) is read after it was retired");
}

TEST_CASE("at the end the outputs are there and nothing else is") {
  ProgramBuilder missing;
  missing.output("y");
  missing.halt();
  CHECK_VERDICT(missing.build(),
                "instruction 0 (Halt): register 0 (y) is an output, but has no value");

  ProgramBuilder retired;
  const Index u = retired.update("u");
  retired.thunk("one", {}, {u}, product, {u});
  retired.halt();
  CHECK_VERDICT(retired.build(), "register 0 (u) is an update, but is retired");

  ProgramBuilder left;
  const Index t = left.reg("t");
  left.thunk("one", {}, {t}, product);
  left.halt();
  CHECK_VERDICT(left.build(), "register 0 (t) may hold a value at the end of the call");
  left.keep();
  CHECK(verdict(left.build()) == "valid");

  ProgramBuilder if_computed;
  const Index c = if_computed.input("c"), v = if_computed.update("v");
  const Index no = if_computed.label(), yes = if_computed.label();
  if_computed.branch("ifelse", c, {no, yes});
  if_computed.place(yes);
  if_computed.thunk("one", {}, {v}, product);
  if_computed.place(no);
  if_computed.halt();
  CHECK(verdict(if_computed.build()) == "valid");
}

/// A memo body that squares x into m, needed as the test says.
struct WithMemo {
  WithMemo() {
    b.jump(start);
    b.body(memo);
    b.thunk("square", {x, x}, {m}, product);
    b.ret();
    b.place(start);
  }
  ProgramBuilder b;
  const Index c = b.input("c"), x = b.input("x"), m = b.reg("m"), y = b.output("y");
  const Index start = b.label(), memo = b.memo("memo");
};

TEST_CASE("a memo body is held against every place that needs it") {
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

TEST_CASE("a value that a body leaves on some of its paths only is not there") {
  ProgramBuilder b;
  const Index c = b.input("c"), m = b.reg("m"), y = b.output("y");
  const Index memo = b.memo("memo"), no = b.label(), yes = b.label();
  b.need(memo);
  b.move(y, m);
  b.retire({m});
  b.halt();
  b.body(memo);
  b.branch("ifelse", c, {no, yes});
  b.place(yes);
  b.thunk("one", {}, {m}, product);
  b.place(no);
  b.ret();
  CHECK_VERDICT(b.build(),
                "instruction 1 (Move): register 1 (m) is read before it is written on some path");
}

TEST_CASE("a body reads what it wrote only after it wrote it") {
  ProgramBuilder b;
  const Index c = b.input("c"), t = b.reg("t"), m = b.reg("m"), y = b.output("y");
  const Index memo = b.memo("memo"), no = b.label(), yes = b.label();
  b.need(memo);
  b.move(y, m);
  b.retire({m});
  b.halt();
  b.body(memo);
  b.branch("ifelse", c, {no, yes});
  b.place(yes);
  b.thunk("one", {}, {t}, product);
  b.place(no);
  b.thunk("copy", {t}, {m}, sum, {t});
  b.ret();
  CHECK_VERDICT(b.build(), "memo body 0: register 1 (t) is read before it is written on some path");
}

TEST_CASE("what a body within a body wants, the outermost place has to have") {
  ProgramBuilder b;
  const Index x = b.input("x"), inner_value = b.reg("inner value"), m = b.reg("m"),
              y = b.output("y");
  const Index outer = b.memo("outer"), inner = b.memo("inner");
  b.retire({x});
  b.need(outer);
  b.move(y, m);
  b.retire({m, inner_value});
  b.halt();
  b.body(outer);
  b.need(inner);
  b.move(m, inner_value);
  b.ret();
  b.body(inner);
  b.move(inner_value, x);
  b.ret();
  CHECK_VERDICT(b.build(), "instruction 1 (Need): register 0 (x) is read after it was retired");
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
  for (const Index wrong : {kNone, 0u, 1u, 2u, 3u, 4u}) {
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

TEST_CASE("a body reads under the decisions of those that need it") {
  // t is written where c is false. The body decides c again, and reads t there, or in the other
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
      p.b.body(body);
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

TEST_CASE("a body that ran does not run again, where it was needed by another one too") {
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
    b.body(outer);
    b.need(inner);
    b.move(m, inner_value);
    b.ret();
    b.body(inner);
    b.move(inner_value, x);
    b.ret();
    return b.build();
  };
  CHECK(verdict(program(true, false)) == "valid");
  CHECK_VERDICT(program(false, false), "(Need): register 1 (x) is read after it was retired");
  CHECK_VERDICT(program(true, true), "(Need): register 1 (x) is read after it was retired");
}

TEST_CASE("what a body computes is not retired before the last body that may read it") {
  const auto program = [](bool early) {
    ProgramBuilder b;
    const Index x = b.input("x"), shared = b.reg("shared"), p = b.reg("p"), q = b.reg("q"),
                y = b.output("y");
    const Index inner = b.memo("inner"), first = b.memo("first"), second = b.memo("second");
    b.need(first);
    if (early) b.retire({shared});
    b.need(second);
    b.thunk("plus", {p, q}, {y}, sum, {p, q});
    b.retire({shared});
    b.halt();
    b.body(inner);
    b.move(shared, x);
    b.ret();
    for (const auto& [memo, to] : {std::pair(first, p), std::pair(second, q)}) {
      b.body(memo);
      b.need(inner);
      b.move(to, shared);
      b.ret();
    }
    return b.build();
  };
  CHECK(verdict(program(false)) == "valid");
  CHECK_VERDICT(program(true), "(Need): register 1 (shared) is read after it was retired");
}

TEST_CASE(
    "a register is retired where it was written or around it, and no other body waits for it") {
  WithMemo elsewhere;
  const Index other = elsewhere.b.memo("other");
  elsewhere.b.need(elsewhere.memo);
  elsewhere.b.move(elsewhere.y, elsewhere.m);
  elsewhere.b.need(other);
  elsewhere.b.halt();
  elsewhere.b.body(other);
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
  unneeded.b.body(reader);
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
    b.body(memo);
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

TEST_CASE("long chains and deep bodies are verified without native recursion") {
  constexpr Index kLength = 100'000;
  ProgramBuilder chain;
  Index last = chain.input("x");
  for (Index i = 0; i < kLength; ++i) {
    const Index next = i + 1 == kLength ? chain.output("y") : chain.reg("t");
    chain.move(next, last);
    chain.retire({last});
    last = next;
  }
  chain.halt();
  CHECK(verdict(chain.build()) == "valid");

  ProgramBuilder memos;
  const Index x = memos.input("x"), y = memos.output("y");
  std::vector<Index> memo, values;
  for (Index i = 0; i < kLength; ++i) {
    memo.push_back(memos.memo("memo"));
    values.push_back(memos.reg("value"));
  }
  memos.need(memo.back());
  memos.move(y, values.back());
  memos.retire(values);
  memos.halt();
  for (Index i = 0; i < kLength; ++i) {
    memos.body(memo[i]);
    if (i > 0) memos.need(memo[i - 1]);
    memos.move(values[i], i > 0 ? values[i - 1] : x);
    memos.ret();
  }
  CHECK(verdict(memos.build()) == "valid");
}

}  // namespace
}  // namespace thunkvm
