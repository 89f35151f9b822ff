// opcodes.cpp: the instruction list, by opcode.
#include "vm/opcodes.h"

#include <array>
#include <cstddef>
#include <initializer_list>

namespace thunkvm {
namespace {

using enum OperandKind;

struct Row {
  std::string_view name;
  std::array<Operand, 3> operands;
  std::size_t n_operands;
};

#define X(name, ...) \
  Row{#name, {{__VA_ARGS__}}, std::initializer_list<Operand>{__VA_ARGS__}.size()},
constexpr std::array kRows = {THUNKVM_OPCODES(X)};
#undef X

const Row& row(Opcode op) {
  static constexpr Row kUnknown = {"?", {}, 0};
  const auto index = static_cast<std::size_t>(op);
  return index < kRows.size() ? kRows[index] : kUnknown;
}

}  // namespace

std::string_view name(Opcode op) { return row(op).name; }

std::span<const Operand> operands(Opcode op) {
  return std::span(row(op).operands).first(row(op).n_operands);
}

}  // namespace thunkvm
