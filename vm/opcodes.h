// opcodes.h: the machine's instructions, listed once. The enum and the disassembler are made from
// this list.
#pragma once

#include <cstdint>
#include <string_view>

namespace thunkvm {

// X(name, operands). What each does:
//   Run      run `count` eager thunks from step `first`, in order; count one run of the segment
//   Branch   decode the selector of `branch`, count the arm, go to its target; with flag kTake
//            empty the selector
//   Jump     go on at `pc`
//   Move     copy register `from` to `to`; with flag kTake move it, leaving `from` empty
//   Need     if memo body `memo` has not run in this call: mark it and run it, then go on; if it
//            failed: fail with the same failure
//   Lazy     see to it that `output` of lazy thunk `lazy` is computed: enter it, compute what it
//            requests, tell it where that fails
//   Release  lazy thunk `lazy` is not demanded any more: it lets go of what it holds
//   Retire   empty `count` registers from retire list entry `first`; empty ones are left alone
//   Native   run emitted function `function` from `label`, and go on where it says; it stands for
//            up to `thunks` thunks. Only in the code of a NativeCode
//   Loop     run the first step of `loop`; count an entry
//   Again    a step of `loop` ends: count it, and run the next one
//   Return   end of a memo body, of a lazy thunk's input or of a loop: go back to who needed it
//   Halt     end of the program
#define THUNKVM_OPCODES(X)           \
  X(Run, "first count counter")      \
  X(Branch, "branch")                \
  X(Jump, "pc")                      \
  X(Move, "to from counter")         \
  X(Need, "memo")                    \
  X(Lazy, "lazy output")             \
  X(Release, "lazy")                 \
  X(Retire, "first count")           \
  X(Native, "function label thunks") \
  X(Loop, "loop counter")            \
  X(Again, "loop counter")           \
  X(Return, "")                      \
  X(Halt, "")

enum class Opcode : std::uint8_t {
#define X(name, operands) name,
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
std::string_view operands(Opcode op);

}  // namespace thunkvm
