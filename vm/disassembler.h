// disassembler.h: programs as text.
#pragma once

#include "vm/program.h"

#include <cstdint>
#include <map>
#include <string>

namespace thunkvm {

/// The program, one instruction a line: pc, opcode, operands under the names of the list of
/// opcodes, the node; the steps of a segment below it with their outputs, inputs, the registers
/// that die in them and those that are retired after them. A register is "%3:x". First come the
/// registers that are constants or seen from outside, and the lazy thunks with the pc at which each
/// input body begins. The program has to be valid. Stable: golden tests read it.
std::string disassemble(const Program& program);

/// The role of a register for the caller.
struct RegisterRole {
  bool is_given = false;  ///< an input or a shared variable
  std::string text;       ///< "input 1", "constant 0.5 float64, output 0"
};
/// The registers that are constants, or that the caller sees.
std::map<std::uint32_t, RegisterRole> register_roles(const Program& program);

}  // namespace thunkvm
