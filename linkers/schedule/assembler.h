// assembler.h: from a schedule to a program.
#pragma once

#include "linkers/schedule/schedule.h"
#include "vm/program.h"

#include <cstdint>
#include <span>

namespace thunkvm {

/// `Operands::dying` of a thunk after which these registers are emptied. An input that is named
/// twice does not die: the other slot still reads it.
std::uint32_t dying_inputs(const Operands& operands, std::span<const std::uint32_t> retired);

/// The program of a schedule, but for its text: flat code, operand lists, segments and counters.
/// Runs that follow each other share an instruction. `thunks`: by node; a conditional's is not
/// read. `traced`: no input dies at its last use, so that a tracer finds it after the run as it was
/// before.
///
/// Writes the step, the instruction and the counter of each statement into the schedule. Linear.
Program assemble(Schedule& schedule, std::span<const ThunkCode* const> thunks, bool traced);

}  // namespace thunkvm
