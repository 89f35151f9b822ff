// verifier.cpp: indices, counts and lists of a program; where registers stand on each path is
// register_flow.cpp's.
#include "vm/verify/verifier.h"

#include "thunks/error.h"
#include "vm/verify/program_error.h"
#include "vm/verify/register_flow.h"

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

namespace thunkvm {

namespace {

class Verifier {
 public:
  explicit Verifier(const Program& program) : program_(program), constant_(program.n_registers) {}

  void check() {
    check_registers();
    check_tables();
    if (program_.code.empty()) throw_invalid("the code", "is empty: it has to end in Halt");
    for (std::uint32_t pc = 0; pc < program_.code.size(); ++pc) check_instruction(pc);
  }

 private:
  void require(bool holds, const std::string& place, const std::string& rule) const {
    if (!holds) throw_invalid(place, rule);
  }
  void in_range(std::uint64_t index, std::uint64_t size, const std::string& place,
                const char* what) const {
    if (index >= size)
      throw_invalid(place, std::string(what) + " " + std::to_string(index) +
                               " does not exist, there are " + std::to_string(size));
  }
  void range_in(std::uint64_t first, std::uint64_t count, std::uint64_t size,
                const std::string& place, const char* what) const {
    if (first + count > size)
      throw_invalid(place, std::string(what) + " " + std::to_string(first) + " to " +
                               std::to_string(first + count - 1) + " do not all exist, there are " +
                               std::to_string(size));
  }
  void check_node(std::uint32_t node, const std::string& place) const {
    if (node != kNone) in_range(node, program_.n_nodes, place, "node");
  }

  void check_registers() {
    const auto list = [&](const std::vector<std::uint32_t>& registers, const char* name) {
      for (const std::uint32_t index : registers)
        in_range(index, program_.n_registers, name, "register");
    };
    list(program_.registers, "the operand lists");
    list(program_.retires, "the retire lists");
    list(program_.inputs, "the inputs");
    list(program_.shared, "the shared values");
    list(program_.outputs, "the outputs");
    list(program_.updates, "the updates");

    std::vector<bool> given(program_.n_registers);
    const auto give = [&](std::uint32_t index, const char* name) {
      require(!given[index], name,
              register_text(program_, index) +
                  " is given twice: a constant, an input or a shared "
                  "value has a register of its own");
      given[index] = true;
    };
    for (const auto& [index, value] : program_.constants) {
      in_range(index, program_.n_registers, "the constants", "register");
      give(index, "the constants");
      require(!value.empty(), "the constants", register_text(program_, index) + " has no value");
      constant_[index] = true;
    }
    for (const std::uint32_t index : program_.inputs) give(index, "the inputs");
    for (const std::uint32_t index : program_.shared) give(index, "the shared values");
  }

  void check_tables() const {
    for (std::size_t i = 0; i < program_.steps.size(); ++i)
      check_step(program_.steps[i], "step " + std::to_string(i));
    for (std::size_t i = 0; i < program_.branches.size(); ++i)
      check_branch(program_.branches[i], "branch " + std::to_string(i));
    for (std::size_t i = 0; i < program_.memos.size(); ++i) {
      const std::string place = "memo " + std::to_string(i);
      in_range(program_.memos[i].pc, program_.code.size(), place, "instruction");
      check_node(program_.memos[i].node, place);
    }
    for (std::size_t i = 0; i < program_.lazies.size(); ++i)
      check_lazy(program_.lazies[i], "lazy thunk " + std::to_string(i));
    for (std::size_t i = 0; i < program_.bound.size(); ++i)
      require(program_.bound[i].make != nullptr, "bound thunk " + std::to_string(i),
              "has no maker");
    const auto by_node = [](const NodeCounter& a, const NodeCounter& b) { return a.node < b.node; };
    require(std::is_sorted(program_.node_counters.begin(), program_.node_counters.end(), by_node),
            "the node counters", "are not sorted by node");
    for (const NodeCounter& entry : program_.node_counters) {
      in_range(entry.node, program_.n_nodes, "the node counters", "node");
      in_range(entry.counter, program_.n_counters, "the node counters", "counter");
    }
  }

  void check_operands(const Operands& operands, const std::string& place) const {
    const std::size_t count = std::size_t{operands.n_inputs} + operands.n_outputs;
    const std::uint32_t* begin = program_.registers.data();
    const std::uint32_t* end = begin + program_.registers.size();
    const std::less_equal<> before;
    require(count == 0 ||
                (before(begin, operands.registers) && before(operands.registers + count, end)),
            place, "its operand list is not a part of Program::registers");
    for (int j = 0; j < operands.n_outputs; ++j)
      for (int k = 0; k < j; ++k)
        require(operands.output(j) != operands.output(k), place,
                register_text(program_, operands.output(j)) + " is two of its outputs");
  }

  void check_step(const Step& step, const std::string& place) const {
    require(step.run != nullptr, place, "has no code");
    check_operands(step.operands, place);
    check_node(step.node, place);
    if (step.run == run_bound)
      in_range(step.operands.bound, program_.bound.size(), place, "bound thunk");
    check_retires(step.retire_first, step.retire_count, place);
    const auto first = program_.retires.begin() + step.retire_first;
    for (int i = 0; i < std::min<int>(step.operands.n_inputs, 32); ++i)
      require(!step.operands.dies(i) ||
                  std::find(first, first + step.retire_count, step.operands.input(i)) !=
                      first + step.retire_count,
              place,
              register_text(program_, step.operands.input(i)) +
                  " dies here, but the step does not retire it");
  }

  void check_retires(std::uint32_t first, std::uint32_t count, const std::string& place) const {
    if (count == 0) return;
    range_in(first, count, program_.retires.size(), place, "retire list entries");
    require(!program_.keep, place, "retires registers in a program that keeps its values");
    for (std::uint32_t i = first; i < first + count; ++i)
      require(!constant_[program_.retires[i]], place,
              register_text(program_, program_.retires[i]) + " is retired, but it is a constant");
  }

  void check_branch(const Branch& branch, const std::string& place) const {
    in_range(branch.selector, program_.n_registers, place, "register");
    require(branch.decoding != Decoding::Truth || branch.n_arms == 2, place,
            "a truth value picks one of two arms");
    require(branch.n_arms > 0, place, "has no arms");
    range_in(branch.first_target, branch.n_arms, program_.targets.size(), place, "targets");
    range_in(branch.first_counter, branch.n_arms, program_.n_counters, place, "counters");
    for (std::uint32_t arm = 0; arm < branch.n_arms; ++arm)
      in_range(program_.targets[branch.first_target + arm], program_.code.size(), place,
               "instruction");
    check_node(branch.node, place);
  }

  void check_lazy(const Lazy& lazy, const std::string& place) const {
    check_operands(lazy.operands, place);
    check_node(lazy.node, place);
    in_range(lazy.operands.bound, program_.bound.size(), place, "bound thunk");
    require(program_.bound[lazy.operands.bound].lazy, place, "its thunk is not lazy");
    require(lazy.input_pcs.size() == lazy.operands.n_inputs, place,
            "needs one body for each input");
    for (const std::uint32_t pc : lazy.input_pcs)
      in_range(pc, program_.code.size(), place, "instruction");
    range_in(lazy.counter, 2, program_.n_counters, place, "counters");
  }

  void check_take(const Instruction& instruction, std::uint32_t from,
                  const std::string& place) const {
    if ((instruction.flag & kTake) == 0) return;
    require(!constant_[from], place,
            register_text(program_, from) + " is taken, but it is a constant");
    require(!program_.keep, place, "takes a register in a program that keeps its values");
  }

  void check_instruction(std::uint32_t pc) const {
    const Instruction& instruction = program_.code[pc];
    const std::string place = instruction_text(program_, pc);
    switch (instruction.op) {
      case Opcode::Run:
        require(instruction.b > 0, place, "runs no step");
        range_in(instruction.a, instruction.b, program_.steps.size(), place, "steps");
        in_range(instruction.c, program_.n_counters, place, "counter");
        return;
      case Opcode::Branch:
        in_range(instruction.a, program_.branches.size(), place, "branch");
        return check_take(instruction, program_.branches[instruction.a].selector, place);
      case Opcode::Jump: return in_range(instruction.a, program_.code.size(), place, "instruction");
      case Opcode::Move:
        in_range(instruction.a, program_.n_registers, place, "register");
        in_range(instruction.b, program_.n_registers, place, "register");
        in_range(instruction.c, program_.n_counters, place, "counter");
        return check_take(instruction, instruction.b, place);
      case Opcode::Need: return in_range(instruction.a, program_.memos.size(), place, "memo");
      case Opcode::Lazy:
        in_range(instruction.a, program_.lazies.size(), place, "lazy thunk");
        return in_range(instruction.b, program_.lazies[instruction.a].operands.n_outputs, place,
                        "output");
      case Opcode::Release:
        return in_range(instruction.a, program_.lazies.size(), place, "lazy thunk");
      case Opcode::Retire: return check_retires(instruction.a, instruction.b, place);
      case Opcode::Native:
        throw_invalid(place, "stands for emitted code, which is laid over a program, not in it");
      case Opcode::Return:
      case Opcode::Halt: return;
    }
    throw_invalid(place,
                  "opcode " + std::to_string(static_cast<int>(instruction.op)) + " does not exist");
  }

  const Program& program_;
  std::vector<bool> constant_;  ///< by register
};

}  // namespace

void verify(const Program& program) {
  Verifier(program).check();
  check_register_flow(program);
}

}  // namespace thunkvm
