// limits.h: the sizes of what loops work with at once, and why.
#pragma once

#include <cstddef>
#include <cstdint>

namespace thunkvm {

/// Elements of a block, which first-level cache has to have room for with all operands; a multiple
/// of kReductionBlock. An element of `exp(a) * b + log(b)` takes 1.32 to 1.38 ns with 128, 1.19 to
/// 1.29 ns with 512 and 1.24 to 1.35 ns with 2,048 (`./dev bench elementwise`).
inline constexpr int kLoopBlock = 512;
/// Loop bodies compute a multiple of so many: two AVX-512 vectors of float64, one of float32.
inline constexpr int kLoopLanes = 16;
/// Inputs, outputs and reductions of one nest: as many as a 64-bit set has bits.
inline constexpr int kLoopOperands = 64;
/// Elements of a sequence that are reduced with states of their own, by any thread: 128 kB of
/// float64, beside which starting and merging a state is nothing.
inline constexpr std::int64_t kLoopPiece = 1 << 14;
/// Elements from which a loop runs on threads, where any are set. On two processors
/// `exp(a) * b + log(b)` takes 16 us on one thread with 2^14 elements, 71 us with 2^16 and 290 us
/// with 2^18, and 39 us and 161 us with the latter two on two threads. But where other programs
/// use the processors a thread is waited for: each loop of 2^14 took 4 ms.
inline constexpr std::uint32_t kThreadedFrom = 1u << 18;
/// More elements than any memory has room for: the members refuse them, in their own words.
inline constexpr std::int64_t kMostLoopElements = std::int64_t{1} << 48;

/// Bytes of one temporary, in front of one, and of all together where that leaves each of them
/// enough: a block of 512 float64, one cache line, and half of a second-level cache.
inline constexpr std::size_t kMostTemporary = 1 << 12;
inline constexpr std::size_t kTemporaryFront = 64;
inline constexpr std::size_t kMostTemporaries = std::size_t{1} << 18;

}  // namespace thunkvm
