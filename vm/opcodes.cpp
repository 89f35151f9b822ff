// opcodes.cpp: the texts of the instruction list.
#include "vm/opcodes.h"

#include <array>

namespace thunkvm {

namespace {

struct Texts {
  std::string_view name, operands;
};

#define X(name, operands) Texts{#name, operands},
constexpr std::array kTexts = {THUNKVM_OPCODES(X)};
#undef X

const Texts& texts(Opcode op) {
  static constexpr Texts kUnknown = {"?", ""};
  const auto index = static_cast<std::size_t>(op);
  return index < kTexts.size() ? kTexts[index] : kUnknown;
}

}  // namespace

std::string_view name(Opcode op) { return texts(op).name; }
std::string_view operands(Opcode op) { return texts(op).operands; }

}  // namespace thunkvm
