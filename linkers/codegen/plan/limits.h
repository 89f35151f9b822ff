// limits.h: how much becomes one function, one loop, and why.
#pragma once

#include <cstddef>
#include <cstdint>

namespace thunkvm {

/// Thunks of an outlined function. Compilers are not linear: 10,000 nodes that branch take 0.95 s
/// with 40, 0.92 s with 160, 1.28 s with 640 and 1.75 s with 2,560 (`./dev bench large`).
inline constexpr std::uint32_t kFunctionThunks = 160;
/// Memo bodies that emitted code calls from within each other: on the native stack, of which a
/// function's frame takes up to some kilobytes; deeper ones go by way of the interpreter.
inline constexpr std::uint8_t kMemoDepth = 8;

/// Members of a loop that compute something: as many registers as the widest vector unit has. Of
/// more, values would go to the stack and back.
inline constexpr std::size_t kLoopMembers = 32;
/// Index maps of index maps that a loop does without: each is one more function called when its
/// lengths are new.
inline constexpr int kMapDepth = 8;

}  // namespace thunkvm
