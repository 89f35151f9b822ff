// limits.h: how much kernels work on at once, and why.
#pragma once

#include <cstdint>

namespace thunkvm {

/// Rows that are copied at once where those of a reduced array lie across its memory: two lines of
/// the cache are full of float64. 1,000 by 1,000 in Fortran order are summed in 0.91 ns an element
/// with 1, 0.53 ns with 4, and 0.46 to 0.47 ns with 8, 16 and 32.
inline constexpr std::int64_t kPanelRows = 16;
/// Elements of these rows together, and how many rows are worth it: fewer are reduced where they
/// lie. With 1,000 by 8,000 it takes 3.4 ns an element with 2^15 (4 rows) and 1.6 ns with 2^16.
inline constexpr std::int64_t kPanelElements = 1 << 16;
inline constexpr std::int64_t kLeastPanelRows = 4;

}  // namespace thunkvm
