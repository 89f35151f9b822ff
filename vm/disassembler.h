// disassembler.h: programs as text.
#pragma once

#include "vm/program.h"

#include <string>

namespace thunkvm {

/// The program, one instruction a line: pc, opcode, operands by name, the node; steps of a segment indented below it with
/// their inputs, outputs and what they retire; a header with the registers' kinds. Stable: golden tests read it.
std::string disassemble(const Program& program);

}  // namespace thunkvm
