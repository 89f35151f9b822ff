// defining_blocks.h: the body of a program that writes each register, and the bodies that may read
// it.
#pragma once

#include "vm/program.h"
#include "vm/verify/body_graph.h"

#include <cstdint>
#include <vector>

namespace thunkvm {

/// The entries of a program (body_graph.h) that write its registers, and what follows from that.
///
/// The constructor throws Error(Runtime) for a register that is given twice, is written in two
/// bodies or though it is given, or is retired in a body that is not around its writer; and where
/// constants, updates or anything in a `_nogc` program are retired or taken. Linear in operands.
struct DefiningBlocks {
  DefiningBlocks(const Program& program, const BodyGraph& bodies);

  std::vector<bool> given;    ///< a constant, or set by the caller
  std::vector<bool> stays;    ///< may hold a value when the call ends
  std::vector<Entry> writer;  ///< a body, or the lazy thunk whose output it is; the program's body
                              ///< if it is given or nobody's
  /// The defining block: bodies that it dominates may read the register. It is the writer, or for
  /// an output of a lazy thunk the innermost body around all that demand it.
  std::vector<Entry> block;
  /// By entry: whether checks of a body follow also what the bodies that it enters enter in turn.
  /// They have to where bodies within it read what it wrote, where it retires what they wrote, and
  /// where it reads what bodies wrote that it does not enter itself. In other bodies a look at what
  /// they enter themselves will do, so that a chain of bodies takes linear time.
  std::vector<bool> deep;

 private:
  void find_writers(const Program& program, const BodyGraph& bodies);
  void find_deep(const Program& program, const BodyGraph& bodies);
};

/// Calls read(register), write(register) and retire(register) for what an instruction of a body
/// does itself, in order; what the bodies do that it enters is not told.
template <class Read, class Write, class Retire>
void each_touch(const Program& program, const BodyGraph& bodies, Entry body, std::uint32_t pc,
                Read&& read, Write&& write, Retire&& retire) {
  const Instruction& instruction = program.code[pc];
  const auto retire_list = [&](std::uint32_t first, std::uint32_t count) {
    for (std::uint32_t k = first; k < first + count; ++k) retire(program.retires[k]);
  };
  const auto read_and_take = [&](std::uint32_t index) {
    read(index);
    if ((instruction.flag & kTake) != 0) retire(index);
  };
  switch (instruction.op) {
    case Opcode::Run:
      for (std::uint32_t s = instruction.a; s < instruction.a + instruction.b; ++s) {
        const Step& step = program.steps[s];
        for (int k = 0; k < step.operands.n_inputs; ++k) read(step.operands.input(k));
        for (int k = 0; k < step.operands.n_outputs; ++k) write(step.operands.output(k));
        retire_list(step.retire_first, step.retire_count);
      }
      break;
    case Opcode::Branch: read_and_take(program.branches[instruction.a].selector); break;
    case Opcode::Move:
      read_and_take(instruction.b);
      write(instruction.a);
      break;
    case Opcode::Retire: retire_list(instruction.a, instruction.b); break;
    case Opcode::Return:  // of a lazy thunk's input: it has to be there
      if (bodies.is_input(body)) {
        const std::uint32_t lazy = bodies.lazy_of(body);
        read(program.lazies[lazy].operands.input(static_cast<int>(body - bodies.input(lazy, 0))));
      }
      break;
    default: break;
  }
}

}  // namespace thunkvm
