// limits.h: how much memory is kept at hand, or guards that of others, and why.
#pragma once

#include <cstddef>

namespace thunkvm {

/// Dead holders of an array's memory that are used again. A function with 30 outputs takes 64 ns an
/// output with 1, 62 ns with 16, 60 ns with 64 and with 1,024.
inline constexpr std::size_t kFreeMemories = 64;

/// Bytes in front of a guarded block and behind it: as many as the widest vectors have, so that one
/// that is written too many is seen.
inline constexpr std::size_t kMargin = 64;
/// What they hold: neither 0 nor -1, which are written most.
inline constexpr int kMarginByte = 0xa5;

}  // namespace thunkvm
