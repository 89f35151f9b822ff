// limits.h: the sizes of small arrays that only loops see, and why.
#pragma once

#include <cstddef>

namespace thunkvm {

/// Bytes of one temporary, in front of one, and of all together where that leaves each of them
/// enough: a block of 512 float64, one cache line, and half of a second-level cache.
inline constexpr std::size_t kMostTemporary = 1 << 12;
inline constexpr std::size_t kTemporaryFront = 64;
inline constexpr std::size_t kMostTemporaries = std::size_t{1} << 18;

}  // namespace thunkvm
