// program_error.h: how the verifier says what is wrong with a program.
#pragma once

#include "thunks/error.h"
#include "vm/indices.h"
#include "vm/program.h"

#include <string>

namespace thunkvm {

/// "instruction 7 (Branch)".
inline std::string instruction_text(const Program& program, Pc pc) {
  return "instruction " + std::to_string(pc) + " (" + std::string(name(program.code[pc].op)) + ")";
}

/// "register 3 (x)", or "register 3" where there are no names.
inline std::string register_text(const Program& program, std::uint32_t index) {
  std::string text = "register " + std::to_string(index);
  if (program.text == nullptr || index >= program.n_registers) return text;
  const std::string name = program.text->register_name(index);
  return name.empty() ? text : text + " (" + name + ")";
}

/// Throws Error(Runtime): "invalid program: <where>: <rule>".
[[noreturn]] inline void throw_invalid(const std::string& where, const std::string& rule) {
  throw Error(ErrorKind::Runtime, "invalid program: " + where + ": " + rule);
}

}  // namespace thunkvm
