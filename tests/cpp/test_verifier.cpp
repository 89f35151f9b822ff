// test_verifier.cpp: each rule of a valid program, broken once; and programs that are valid in ways
// that look odd.
#include "tests/cpp/verdict.h"

#include <doctest/doctest.h>

#include <functional>
#include <utility>
#include <vector>

namespace thunkvm {
namespace {

using namespace testing;
using testing::Index;

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
    b.memo_body(memo);
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
      {"the shared variables: register 99", [](Program& p) { p.shared.push_back(99); }},
      {"the outputs: register 99", [](Program& p) { p.outputs[0] = 99; }},
      {"the updates: register 99", [](Program& p) { p.updates[0] = 99; }},
      {"the constants: register 99", [](Program& p) { p.constants[0].first = 99; }},
      {"the constants: register 2 (k) has no value",
       [](Program& p) { p.constants[0].second.clear(); }},
      {"the constants: register 2 (k) is given twice",
       [](Program& p) { p.constants.push_back(p.constants[0]); }},
      {"the inputs: register 0 (c) is given twice", [](Program& p) { p.inputs.push_back(0); }},
      {"step 0: has no code", [](Program& p) { p.steps[StepIndex(0)].run = nullptr; }},
      {"step 0: node 99", [](Program& p) { p.steps[StepIndex(0)].node = ProgramNode(99); }},
      {"step 0: its operand list is not a part",
       [](Program& p) { p.steps[StepIndex(0)].operands.registers = nullptr; }},
      {"step 0: its operand list is not a part",
       [](Program& p) { p.steps[StepIndex(0)].operands.n_inputs = 9999; }},
      {"step 0: bound thunk 7 does not exist",
       [](Program& p) {
         p.steps[StepIndex(0)].run = run_bound;
         p.steps[StepIndex(0)].operands.bound = 7;
       }},
      {"step 1: retire list entries 0 to 98 do not all exist",
       [](Program& p) { p.steps[StepIndex(1)].retire_count = 99; }},
      {"step 0: register 1 (x) dies here, but the step does not retire it",
       [](Program& p) { p.steps[StepIndex(0)].operands.dying = 1; }},
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
      {"branch 0: instruction 99", [](Program& p) { p.targets[1] = Pc(99); }},
      {"branch 0: node 99", [](Program& p) { p.branches[0].node = ProgramNode(99); }},
      {"body 0: instruction 99", [](Program& p) { p.bodies[0].pc = Pc(99); }},
      {"body 0: node 99", [](Program& p) { p.bodies[0].node = ProgramNode(99); }},
      {"lazy thunk 0: node 99", [](Program& p) { p.lazies[0].node = ProgramNode(99); }},
      {"lazy thunk 0: its operand list is not a part",
       [](Program& p) { p.lazies[0].operands.n_outputs = 9999; }},
      {"lazy thunk 0: bound thunk 99", [](Program& p) { p.lazies[0].operands.bound = 99; }},
      {"lazy thunk 0: its thunk is not lazy", [](Program& p) { p.bound[0].lazy = false; }},
      {"lazy thunk 0: needs one input body for each input",
       [](Program& p) { p.bodies[1] = p.bodies[0]; }},
      {"body 1: is no input of its lazy thunk", [](Program& p) { p.lazies[0].first_body = 0; }},
      {"body 1: an input has an owner, and a memo body none",
       [](Program& p) { p.bodies[1].owner = kNone; }},
      {"body 1: input 99 does not exist", [](Program& p) { p.bodies[1].number = 99; }},
      {"body 1: instruction 99", [](Program& p) { p.bodies[1].pc = Pc(99); }},
      {"lazy thunk 0: counters", [](Program& p) { p.lazies[0].counter = p.n_counters - 1; }},
      {"bound thunk 0: has no maker", [](Program& p) { p.bound[0].make = nullptr; }},
      {"the node counters: counter 99", [](Program& p) { p.node_counters[0].counter = 99; }},
      {"the node counters: node 99",
       [](Program& p) { p.node_counters.back().node = ProgramNode(99); }},
      {"the node counters: are not sorted",
       [](Program& p) { p.node_counters[0].node = ProgramNode(5); }},
      {"the code: is empty",
       [](Program& p) {
         p.code.clear();
         p.branches.clear();
         p.bodies.clear();
         p.lazies.clear();
       }},
      {"(Run): runs no step", [&](Program& p) { first(p, Opcode::Run).b = 0; }},
      {"opcode 77 does not exist", [&](Program& p) { first(p, Opcode::Move).op = Opcode{77}; }},
      {"keeps its values", [](Program& p) { p.retain_intermediates = true; }},
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
  program->code[Pc(0)].flag = kTake;
  CHECK_VERDICT(program,
                "instruction 0 (Branch): register 0 (selector) is taken, but it is a constant");

  ProgramBuilder kept;
  const Index x = kept.input("x"), z = kept.output("z");
  kept.move(z, x, true);
  kept.halt();
  kept.retain_intermediates();
  CHECK_VERDICT(kept.build(), "register 0 (x) is taken in a program that keeps its values");
}

TEST_CASE("what callers lend is not retired or taken: shared values, and inputs not mutable") {
  ProgramBuilder b;
  const Index x = b.input("x"), y = b.output("y");
  b.move(y, x, true);
  b.halt();
  const auto program = b.build();
  CHECK(verdict(program) == "valid");
  program->mutable_inputs = {};
  const char* const lent =
      "register 0 (x) is taken, but it is a shared variable's value, or an "
      "input that is not mutable";
  CHECK_VERDICT(program, lent);
  program->shared = std::exchange(program->inputs, {});
  CHECK_VERDICT(program, lent);
  program->mutable_inputs = {0};
  CHECK_VERDICT(program, "the mutable inputs: input 0 does not exist, there are 0");
}

TEST_CASE("operands are whole") {
  ProgramBuilder b;
  const Index y = b.output("y");
  b.thunk("twins", {}, {y, y}, sum);
  b.halt();
  CHECK_VERDICT(b.build(), "step 0: register 0 (y) is two of its outputs");
}

TEST_CASE("every path ends, the program in Halt and memo bodies in Return") {
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
  halts.memo_body(memo);
  halts.halt();
  CHECK_VERDICT(halts.build(),
                "instruction 2 (Halt): ends memo body 0, which has to end in Return");
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
  CHECK_VERDICT(retired.build(), "register 0 (u) is retired on some path, but it is an update");

  ProgramBuilder left;
  const Index t = left.reg("t");
  left.thunk("one", {}, {t}, product);
  left.halt();
  CHECK_VERDICT(left.build(), "register 0 (t) may hold a value at the end of the call");
  left.retain_intermediates();
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

TEST_CASE("long chains and deep memo bodies are verified without native recursion") {
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
    memos.memo_body(memo[i]);
    if (i > 0) memos.need(memo[i - 1]);
    memos.move(values[i], i > 0 ? values[i - 1] : x);
    memos.ret();
  }
  CHECK(verdict(memos.build()) == "valid");
}

}  // namespace
}  // namespace thunkvm
