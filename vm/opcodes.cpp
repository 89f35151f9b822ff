// opcodes.cpp: the texts of the instruction list.
#include "vm/opcodes.h"

#include <array>

namespace thunkvm {

namespace {

struct Texts {
  std::string_view name, operands, prose;
};

#define X(name, operands, prose) Texts{#name, operands, prose},
constexpr std::array kTexts = {THUNKVM_OPCODES(X)};
#undef X

const Texts& texts(Opcode op) {
  static constexpr Texts kUnknown = {"?", "", "not an instruction"};
  const auto index = static_cast<std::size_t>(op);
  return index < kTexts.size() ? kTexts[index] : kUnknown;
}

}  // namespace

std::string_view name(Opcode op) { return texts(op).name; }
std::string_view operands(Opcode op) { return texts(op).operands; }
std::string_view prose(Opcode op) { return texts(op).prose; }

}  // namespace thunkvm
