// test_disassembler.cpp: programs as text, against golden files.
#include "tests/cpp/every_instruction.h"
#include "tests/cpp/golden.h"
#include "vm/disassembler.h"

#include <doctest/doctest.h>

namespace thunkvm {
namespace {

using namespace testing;
using testing::Index;

TEST_CASE("a program with every instruction, as text") {
  check_golden("every_instruction.txt", disassemble(*every_instruction()));
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
  program->steps[StepIndex(0)].operands.dying = 1;
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

}  // namespace
}  // namespace thunkvm
