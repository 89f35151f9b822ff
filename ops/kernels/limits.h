// limits.h: the amounts that kernels and nests work on at once, and why.
#pragma once

#include <cstddef>
#include <cstdint>

namespace thunkvm {

/// Elements of a block of a reduction, and accumulators of a block (reduce.h): every result depends
/// on them. Sixteen are two vectors of float64 of the widest unit, so that an addition need not
/// wait for the one before; merging them is 15 steps for 128 elements, one by one.
inline constexpr int kReductionBlock = 128;
inline constexpr int kReductionLanes = 16;
/// Elements of a block, which first-level cache has to have room for with all operands; a multiple
/// of kReductionBlock. An element of `exp(a) * b + log(b)` takes 1.32 to 1.38 ns with 128, 1.19 to
/// 1.29 ns with 512 and 1.24 to 1.35 ns with 2,048 (`./dev bench elementwise`).
inline constexpr int kNestBlock = 512;
/// Nest bodies compute a multiple of so many: two AVX-512 vectors of float64, one of float32.
inline constexpr int kNestLanes = 16;
/// Inputs, outputs and reductions of one nest: as many as a 64-bit set has bits.
inline constexpr int kNestOperands = 64;
/// Elements of a row that an element function takes as they lie; shorter ones are gathered. 10^6 of
/// `x + row` take 0.31 ns each gathered, 0.18 ns as they lie.
inline constexpr std::int64_t kLongRow = 64;
/// Bytes of the largest element: a complex number of two float64.
inline constexpr int kLargestItem = 16;
/// Elements of a sequence that are reduced with states of their own, by any thread: 128 kB of
/// float64, beside which starting and merging a state is nothing.
inline constexpr std::int64_t kNestPiece = 1 << 14;
/// Elements from which a nest runs on threads, if any are set. On two processors `exp(a) * b +
/// log(b)` takes 16 us on one thread with 2^14 elements, 71 us with 2^16 and 290 us with 2^18, and
/// 39 us and 161 us with the latter two on two threads. But where other programs use the processors
/// a thread is waited for: each nest of 2^14 took 4 ms.
inline constexpr std::uint32_t kThreadedFrom = 1u << 18;
/// Work of a stretch (units of an addition), after which the host is asked whether to stop: 10 ms
/// where each element is far from the one before. 2^24 that are picked in any order take 200 to
/// 250 ms with 2^10 and 2^16, and 166 ms with 2^20 and 2^24.
inline constexpr std::int64_t kStretch = 1 << 20;
/// Words (std::max_align_t, of 32 bytes) in which an instance that is not kept lies, if it fits:
/// one of two inputs and 12 axes does, and one of three inputs and 8.
inline constexpr std::size_t kInstanceWords = 40;
/// More elements than any memory has room for: allocations of so many fail.
inline constexpr std::int64_t kMostNestElements = std::int64_t{1} << 48;

/// Rows that are copied at once where those of a reduced array lie across its memory: two lines of
/// the cache are full of float64. 1,000 by 1,000 in Fortran order are summed in 0.91 ns an element
/// with 1, 0.53 ns with 4, and 0.46 to 0.47 ns with 8, 16 and 32.
inline constexpr std::int64_t kTileRows = 16;
/// Columns of them that are read side by side, as the loop over them is unrolled; those of the next
/// step are fetched meanwhile.
inline constexpr std::int64_t kTileColumns = 8;
/// Elements of short rows that are reduced together, at least: there are as many rows as that
/// takes. 100,000 rows of 10 are summed in 0.28 ns an element with 2^11 (204 rows), 0.35 ns with
/// 2^9, 0.34 ns with 2^13, and 0.72 ns with 16 rows.
inline constexpr std::int64_t kTileElements = 1 << 11;
/// Elements of these rows together at most, and how many rows are worth it: fewer are reduced where
/// they lie. 1,000 rows of 20,000 take 6.3 ns an element with 2^16 (3 rows, so none is copied), 2.7
/// ns with 2^17 (6) and 1.8 ns with 2^18 (13); of 50,000 7.0 ns with 2^16 and 3.4 ns with 2^18 (5);
/// of 4,000 0.8 to 0.9 ns with each.
inline constexpr std::int64_t kMostTileElements = 1 << 18;
inline constexpr std::int64_t kLeastTileRows = 4;

}  // namespace thunkvm
