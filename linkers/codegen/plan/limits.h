// limits.h: the sizes of functions and nests, and why.
#pragma once

#include "linkers/passes/limits.h"

#include <cstddef>
#include <cstdint>

namespace thunkvm {

/// Thunks of an outlined function. Compilers are not linear: 10,000 nodes that branch take 0.95 s
/// with 40, 0.92 s with 160, 1.28 s with 640 and 1.75 s with 2,560 (`./dev bench large`).
inline constexpr std::uint32_t kFunctionThunks = 160;
static_assert(kSegmentThunks <= kFunctionThunks);
/// Memo bodies that emitted code calls from within each other: on the native stack, of which a
/// function's frame takes up to some kilobytes; deeper ones go by way of the interpreter. That
/// costs little: 64 bodies, each in need of the one before, take 5.2 us with 0, 5.0 us with 8 and
/// 4.9 us with 32.
inline constexpr std::uint8_t kMemoDepth = 8;

/// Members of a nest that compute something: as many registers as the widest vector unit has. A
/// chain of 128 `y = y * a + b` takes, for each of them and of 1,000 elements, 0.09 ns with 8,
/// 0.06 ns with 16, 0.05 ns with 32 and 0.06 ns with 60.
inline constexpr std::size_t kNestMembers = 32;
static_assert(kNeedsTogether == kNestMembers);
/// Index maps of index maps that a nest takes in: each is one more function called when its lengths
/// are new. `exp` of 200 elements behind 16 slices takes 0.82 us with 0, 0.59 us with 8 and 0.51 us
/// with 16, and 0.86, 0.73 and 0.42 us where each length is new.
inline constexpr int kMapDepth = 16;

}  // namespace thunkvm
