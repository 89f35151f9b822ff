// disassembler.h: programs as text.
#pragma once

#include "vm/program.h"

#include <cstdint>
#include <map>
#include <string>

namespace thunkvm {

/// The program, one instruction a line: pc, opcode, operands under the names of the list of
/// opcodes, the node; the steps of a segment below it with their outputs, inputs, and what dies in
/// them and is retired after them. A register is "%3:x". First come the registers that are
/// constants or seen from outside, and the lazy thunks with the pc at which each input body begins.
/// The program has to be valid. Stable: golden tests read it.
std::string disassemble(const Program& program);

/// What a register is, seen from outside.
struct RegisterRole {
  bool is_given = false;  ///< an input or a shared variable
  std::string text;       ///< "input 1", "constant 0.5 float64, output 0"
};
/// The registers that are constants or seen from outside.
std::map<std::uint32_t, RegisterRole> register_roles(const Program& program);

}  // namespace thunkvm
