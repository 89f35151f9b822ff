// test_disassembler.cpp: programs as text, against golden files, and the list of opcodes that the
// text is made from.
#include "tests/cpp/assembler.h"
#include "tests/cpp/golden.h"
#include "thunks/demand.h"
#include "vm/disassembler.h"
#include "vm/verify/verifier.h"

#include <doctest/doctest.h>

namespace thunkvm {
namespace {

using namespace testing;

TEST_CASE("a program with every instruction, as text") {
  ProgramBuilder b;
  const Index c = b.input("c"), x = b.input("x"), w = b.shared("w");
  const Index half = b.constant("half", Cell::of(0.5));
  const Index t = b.reg("t"), m = b.reg("m"), v = b.reg("v"), u = b.reg("u"), y = b.output("y"),
              z = b.update("z");
  const Index no = b.label(), yes = b.label(), end = b.label();
  const Index memo = b.memo("square.1");
  const Index lazy =
      b.lazy("pick.4", {v, x}, {u},
             straight_line([](Demand& demand) { demand.set_output(0, demand.force(0)); }));
  b.thunk("add.0", {x, w, half}, {t}, sum);
  b.branch("ifelse.2", c, {no, yes});
  b.place(no);
  b.move(z, w);
  b.jump(end);
  b.place(yes);
  b.need(memo);
  b.move(z, t, true);
  b.retire({t});
  b.place(end);
  b.demand(lazy, 0);
  b.release(lazy);
  b.thunk("mul.5", {u, half}, {y}, product, {u, v, m, t});
  b.halt();
  b.memo_body(memo);
  b.thunk("square.1", {x, x}, {m}, product);
  b.ret();
  b.input_body(lazy, 0);
  b.need(memo);
  b.move(v, m);
  b.ret();
  b.input_body(lazy, 1);
  b.ret();
  const auto program = b.build();
  program->code[1].flag = kTake;
  verify(*program);
  check_golden("every_instruction.txt", disassemble(*program));
}

TEST_CASE("a switch that keeps its values, and a step whose input dies") {
  ProgramBuilder b;
  const Index i = b.input("i"), x = b.input("x"), y = b.output("y");
  const Index zero = b.label(), one = b.label(), other = b.label();
  b.branch("switch.0", i, {zero, one, other}, Decoding::IndexOrDefault);
  for (const Index arm : {zero, one, other}) {
    b.place(arm);
    b.thunk("arm", {x}, {y}, sum);
    b.halt();
  }
  b.retain_intermediates();
  check_golden("keep_switch.txt", disassemble(*b.build()));

  ProgramBuilder d;
  const Index p = d.input("p"), q = d.output("q");
  d.thunk("neg.0", {p, p}, {q}, sum, {p});
  d.halt();
  const auto program = d.build();
  program->steps[0].operands.dying = 1;
  check_golden("dying_input.txt", disassemble(*program));
}

TEST_CASE("a program without names, and its constants") {
  ProgramBuilder b;
  b.constant("", Cell::of(std::int8_t{-3}));
  b.constant("", Cell::of(Half(0.25f)));
  b.constant("", Cell::of(1e-300));
  b.constant("", Cell::of(Complex64(1, -2)));
  b.constant("", Cell::of(false));
  b.constant("", Cell::of_array(Array::zeros(DType::Float32, std::vector<std::int64_t>{2, 3})));
  const Index y = b.output("");
  b.thunk("", {}, {y}, sum);
  b.halt();
  const auto program = b.build();
  program->text = nullptr;
  check_golden("without_names.txt", disassemble(*program));
}

TEST_CASE("every opcode has its texts") {
  CHECK(name(Opcode::Run) == "Run");
  CHECK(operands(Opcode::Run) == "first count counter");
  CHECK(name(Opcode::Halt) == "Halt");
  CHECK(operands(Opcode::Halt).empty());
  CHECK(name(Opcode{200}) == "?");
}

}  // namespace
}  // namespace thunkvm
