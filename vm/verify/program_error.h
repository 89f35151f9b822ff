// program_error.h: how the verifier says what is wrong with a program.
#pragma once

#include "vm/program.h"

#include <string>

namespace thunkvm {

/// "instruction 7 (Branch)".
std::string instruction_text(const Program& program, std::uint32_t pc);
/// "register 3 (x)", or "register 3" where there are no names.
std::string register_text(const Program& program, std::uint32_t index);
/// Throws Error(Runtime): "invalid program: <where>: <rule>".
[[noreturn]] void throw_invalid(const std::string& where, const std::string& rule);
[[noreturn]] void throw_invalid(const Program& program, std::uint32_t pc, const std::string& rule);

}  // namespace thunkvm
