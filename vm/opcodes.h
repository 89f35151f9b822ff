// opcodes.h: the machine's instructions, listed once. The enum, the disassembler and the registers
// that statements touch (linkers/schedule) are made from this list. The verifier has its own, so
// that a wrong entry here shows.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace thunkvm {

/// What an operand stands for, and what its instruction does with registers there.
enum class OperandKind : std::uint8_t {
  Number,  ///< a count, a counter, a label
  Pc,
  To,       ///< a register, which is written
  From,     ///< a register, which is read; with flag kTake it is empty afterwards
  Branch,   ///< of its selector the same is true
  Steps,    ///< the first one, before how many there are: they read their inputs, write their
            ///< outputs, and empty what they retire
  Retires,  ///< the first entry of Program::retires, before how many there are: they are emptied
  Memo,     ///< a memo body
  Lazy,     ///< a lazy thunk
  Output,   ///< of the lazy thunk before it: it is read, since it has to be there afterwards
  Loop,
};
struct Operand {
  std::string_view name;
  OperandKind kind;
};

// X(name, operands), and above it what it does.
#define THUNKVM_OPCODES(X)                                                                         \
  /* run `count` eager thunks from step `first`, in order; count one run of the segment */         \
  X(Run, {"first", Steps}, {"count", Number}, {"counter", Number})                                 \
  /* decode the selector of `branch`, count the arm and go to its target; kTake: empty it */       \
  X(Branch, {"branch", Branch})                                                                    \
  /* go on at `pc` */                                                                              \
  X(Jump, {"pc", Pc})                                                                              \
  /* copy register `from` to `to`; kTake: move it, leaving `from` empty */                         \
  X(Move, {"to", To}, {"from", From}, {"counter", Number})                                         \
  /* if memo body `memo` has not run yet: run it, then go on; if it failed: fail as it did */      \
  X(Need, {"memo", Memo})                                                                          \
  /* if `output` of lazy thunk `lazy` is not computed yet: enter it, compute what it requests, */  \
  /* tell it where that fails */                                                                   \
  X(Lazy, {"lazy", Lazy}, {"output", Output})                                                      \
  /* lazy thunk `lazy` is not demanded any more: it lets go of what it holds */                    \
  X(Release, {"lazy", Lazy})                                                                       \
  /* empty `count` registers from retire list entry `first`; empty ones are left alone */          \
  X(Retire, {"first", Retires}, {"count", Number})                                                 \
  /* run emitted function `function` from `label`, and go on where it says; it stands for up to */ \
  /* `thunks` thunks. Only in the code of a NativeCode */                                          \
  X(Native, {"function", Number}, {"label", Number}, {"thunks", Number})                           \
  /* run the first step of `loop`; count an entry */                                               \
  X(Loop, {"loop", Loop}, {"counter", Number})                                                     \
  /* a step of `loop` ends: count it, and run the next one */                                      \
  X(Again, {"loop", Loop}, {"counter", Number})                                                    \
  /* end of a memo body, of a lazy thunk's input or of a loop: go back to who needed it */         \
  X(Return)                                                                                        \
  /* end of the program */                                                                         \
  X(Halt)

enum class Opcode : std::uint8_t {
#define X(name, ...) name,
  THUNKVM_OPCODES(X)
#undef X
};

inline constexpr std::uint8_t kTake = 1;

/// 16 bytes; what a, b and c mean is in the list above, in its order.
struct Instruction {
  Opcode op = Opcode::Halt;
  std::uint8_t flag = 0;
  std::uint16_t unused = 0;
  std::uint32_t a = 0, b = 0, c = 0;
};
static_assert(sizeof(Instruction) == 16);

std::string_view name(Opcode op);
/// Of `a`, `b` and `c`, those that it has.
std::span<const Operand> operands(Opcode op);

}  // namespace thunkvm
