// test_opcodes.cpp: the list of opcodes, held against the verifier, which has its own.
#include "linkers/linker.h"
#include "linkers/schedule/touches.h"
#include "ops/control/attempt.h"
#include "ops/control/conditional.h"
#include "ops/graph/functions.h"
#include "tests/cpp/every_instruction.h"
#include "tests/cpp/inputs.h"
#include "tests/cpp/loops.h"
#include "tests/cpp/opaque_op.h"
#include "tests/cpp/verdict.h"
#include "vm/verify/body_graph.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace thunkvm {
namespace {

using namespace testing;

using Opcodes = std::set<Opcode>;
const Opcodes kAll = {
#define X(name, ...) Opcode::name,
    THUNKVM_OPCODES(X)
#undef X
};

/// Those of the instructions, and Native, which the verifier knows in no program.
Opcodes opcodes_of(const Program& program) {
  Opcodes result = {Opcode::Native};
  for (const Instruction& instruction : program.code) result.insert(instruction.op);
  return result;
}

TEST_CASE("an opcode has a name and operands") {
  CHECK(name(Opcode::Run) == "Run");
  CHECK(operands(Opcode::Run).size() == 3);
  CHECK(operands(Opcode::Run)[1].name == "count");
  CHECK(operands(Opcode::Move)[0].kind == OperandKind::To);
  CHECK(name(Opcode::Halt) == "Halt");
  CHECK(operands(Opcode::Halt).empty());
  CHECK(name(Opcode{200}) == "?");
  CHECK(operands(Opcode{200}).empty());
}

/// What the verifier says of such an operand, 9999, of which there are less.
const char* refusal(const Operand& operand) {
  switch (operand.kind) {
    case OperandKind::Number:
      return operand.name == "counter" ? "counter 9999 does not exist" : "do not all exist";
    case OperandKind::Pc: return "instruction 9999 does not exist";
    case OperandKind::To:
    case OperandKind::From: return "register 9999 does not exist";
    case OperandKind::Branch: return "branch 9999 does not exist";
    case OperandKind::Steps: return "steps 9999 to ";
    case OperandKind::Retires: return "retire list entries 9999 to ";
    case OperandKind::Memo: return "body 9999 does not exist";
    case OperandKind::Lazy: return "lazy thunk 9999 does not exist";
    case OperandKind::Output: return "output 9999 does not exist";
    case OperandKind::Loop: return "loop 9999 does not exist";
  }
  return "";
}

TEST_CASE("an operand in the list of opcodes is one that the verifier checks, of the same kind") {
  const auto program = every_instruction();
  CHECK(opcodes_of(*program) == kAll);
  CHECK(verdict(program) == "valid");
  for (Instruction& instruction : program->code) {
    const std::span<const Operand> listed = operands(instruction.op);
    std::uint32_t Instruction::* const all[] = {&Instruction::a, &Instruction::b, &Instruction::c};
    for (std::size_t i = 0; i < std::size(all); ++i) {
      CAPTURE(name(instruction.op));
      CAPTURE(i);
      const Instruction valid = instruction;
      instruction.*all[i] = 9999;
      if (i < listed.size())
        CHECK_VERDICT(program, refusal(listed[i]));
      else
        CHECK(verdict(program) == "valid");
      instruction = valid;
    }
  }
}

/// By pc, what is done with which registers: "read 3", in order of the alphabet.
using Found = std::map<Pc, std::multiset<std::string>>;

/// What the list of opcodes says, of all registers but these.
Found listed(const Schedule& schedule, const std::set<std::uint32_t>& but) {
  const Touches touches(schedule);
  Found found;
  for (std::uint32_t reg = 0; reg < schedule.registers.size(); ++reg)
    for (const Touch& touch : touches.by_statements(reg)) {
      const char* const kinds[] = {"read ", "write ", "empty "};
      if (!but.contains(reg))
        found[schedule.statements[touch.statement].pc].insert(kinds[static_cast<int>(touch.kind)] +
                                                              std::to_string(reg));
    }
  return found;
}
/// What the verifier says, which has a word of its own for what a lazy thunk has to compute.
Found verified(const Program& program, const std::set<std::uint32_t>& but) {
  const BodyGraph bodies(program);
  Found found;
  for (Entry body = 0; body < bodies.n_bodies(); ++body)
    for (const Pc pc : bodies.instructions(body))
      for (const auto& [touch, reg] : bodies.touches(body, pc)) {
        const char* const kinds[] = {"read ", "write ", "read ", "empty "};
        if (!but.contains(reg))
          found[pc].insert(kinds[static_cast<int>(touch)] + std::to_string(reg));
      }
  return found;
}

/// "4 Move: read 3 write 2", a line a pc.
std::string text(const Found& found, const Program& program) {
  std::string text;
  for (const auto& [pc, touches] : found) {
    text += "\n" + std::to_string(pc) + " " + std::string(name(program.code[pc].op)) + ":";
    for (const std::string& touch : touches) text += " " + touch;
  }
  return text;
}

TEST_CASE("a register is touched by what the list of opcodes says, and by what the verifier says") {
  const Variable c = real("c"), x = real("x"), s = real("s"), y = exp(x);
  const std::vector<Variable> either = attempt(attempt_op(), {{y}}, {{x}});
  const std::vector<Variable> inputs = {x + x, x};
  const std::vector<Variable> two = Ref<const Op>(new Opaque)->call(inputs);
  const Variable last = while_loop({s}, {x}, lt(s, c * 2.0), {s + exp(s)})[0];
  const FunctionGraph graph = {
      .inputs = {c, x},
      .outputs = {either[0], ifelse(c, two[1], two[0] * x), last * last, ifelse(c, y, x)}};
  const Linked linked = link(open_loops(graph), {});
  CHECK(opcodes_of(*linked.program) == kAll);
  // What a loop carries and leaves, the verifier knows as the loop's, and not as its Moves'.
  std::set<std::uint32_t> of_loops;
  for (const ProgramLoop& loop : linked.program->loops)
    for (const auto* list : {&loop.states, &loop.left}) of_loops.insert(list->begin(), list->end());
  CHECK(of_loops.size() == 2);
  CHECK(text(listed(*linked.schedule, of_loops), *linked.program) ==
        text(verified(*linked.program, of_loops), *linked.program));
}

}  // namespace
}  // namespace thunkvm
