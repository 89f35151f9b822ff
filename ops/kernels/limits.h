// limits.h: how much kernels work on at once, and why.
#pragma once

#include <cstdint>

namespace thunkvm {

/// Rows that are copied at once where those of a reduced array lie across its memory: two lines of
/// the cache are full of float64. 1,000 by 1,000 in Fortran order are summed in 0.91 ns an element
/// with 1, 0.53 ns with 4, and 0.46 to 0.47 ns with 8, 16 and 32.
inline constexpr std::int64_t kTileRows = 16;
/// Elements of these rows together, and how many rows are worth it: fewer are reduced where they
/// lie. 1,000 rows of 20,000 take 6.3 ns an element with 2^16 (3 rows, so none is copied), 2.7 ns
/// with 2^17 (6) and 1.8 ns with 2^18 (13); of 50,000 7.0 ns with 2^16 and 3.4 ns with 2^18 (5); of
/// 4,000 0.8 to 0.9 ns with each.
inline constexpr std::int64_t kTileElements = 1 << 18;
inline constexpr std::int64_t kLeastTileRows = 4;

}  // namespace thunkvm
