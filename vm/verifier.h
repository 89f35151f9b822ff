// verifier.h: static checks of a program.
#pragma once

#include "vm/program.h"

namespace thunkvm {

/// Checks that every index is in range, every path ends and no body needs itself, bodies end in Return and the program in
/// Halt, operand lists are whole, constants are never written, taken or retired, inputs that die are retired by their
/// step, and nothing is retired or taken in a `keep` program. On every path a register has to be written before it is
/// read, written at most once and in one body only, and not read after it was retired; outputs have to be there at the
/// end, and nothing else but constants, inputs, shared values, updates and the outputs of lazy thunks. A body is checked
/// at each place that needs it; of a lazy thunk's inputs any may have run, or none.
/// Throws Error(Runtime) that names the instruction, the register and the rule. Run in debug builds and tests: linear, but
/// for at most a second in which paths are followed (register_flow.h).
void verify(const Program& program);

}  // namespace thunkvm
