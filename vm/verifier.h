// verifier.h: static checks of a program.
#pragma once

#include "vm/program.h"

namespace thunkvm {

/// Checks that every index is in range, every path ends, bodies end in Return, operand lists are whole, and that on
/// every path through straight-line code and arms a register is written before it is read, written at most once, and
/// not read after it was retired (bodies of memos and lazies are checked with what their sites have in common).
/// Throws Error(Runtime) that names the instruction, the register and the rule. Linear but for joins; run in debug
/// builds and tests.
void verify(const Program& program);

}  // namespace thunkvm
