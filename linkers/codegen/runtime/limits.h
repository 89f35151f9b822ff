// limits.h: the sizes of small arrays that only nests see, and why.
#pragma once

#include <cstddef>

namespace thunkvm {

/// Bytes of one temporary: a block of 512 float64. Six layers of eight vectors, of which each nest
/// leaves eight to the next, take 4.9 us with 256 and 2.9 us with 1,024 to 16,384 where vectors
/// have 100 elements; where they have 1,000, 22.8 us with 4,096 and 21.1 us with 16,384.
inline constexpr std::size_t kMostTemporary = 1 << 12;
/// Bytes in front of a temporary: a cache line, and a vector of AVX-512.
inline constexpr std::size_t kTemporaryFront = 64;
/// Bytes of all temporaries of a program, where that leaves each of them kLeastTemporary: half of a
/// second-level cache. The same layers take, with 100 elements, 4.9 us with 2^16 and 2.9 us with
/// 2^18; with 500 13.1 us with 2^18 and 10.6 us with 2^22, which each frame of a call would keep.
inline constexpr std::size_t kMostTemporaries = std::size_t{1} << 18;
/// Bytes of a temporary, however many there are: less holds not even 40 elements, which take 3.7 us
/// in those layers as arrays and 1.8 us as temporaries.
inline constexpr std::size_t kLeastTemporary = 256;

}  // namespace thunkvm
