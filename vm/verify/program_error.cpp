#include "vm/verify/program_error.h"

#include "thunks/error.h"

namespace thunkvm {

std::string instruction_text(const Program& program, std::uint32_t pc) {
  return "instruction " + std::to_string(pc) + " (" + std::string(name(program.code[pc].op)) + ")";
}

std::string register_text(const Program& program, std::uint32_t index) {
  std::string text = "register " + std::to_string(index);
  if (program.text == nullptr || index >= program.n_registers) return text;
  const std::string name = program.text->register_name(index);
  return name.empty() ? text : text + " (" + name + ")";
}

void throw_invalid(const std::string& where, const std::string& rule) {
  throw Error(ErrorKind::Runtime, "invalid program: " + where + ": " + rule);
}

void throw_invalid(const Program& program, std::uint32_t pc, const std::string& rule) {
  throw_invalid(instruction_text(program, pc), rule);
}

}  // namespace thunkvm
