// limits.h: how long one node is rewritten, how far its users are asked, and why.
#pragma once

#include <cstddef>
#include <cstdint>

namespace thunkvm {

/// New forms of one node that are tried: each is smaller than the one before, so this is never
/// reached but by a rewrite that is wrong.
inline constexpr int kMostForms = 16;

/// Nodes that are asked, upwards and downwards, whether each user of a value demands a factor. The
/// log likelihood of a Gaussian process and its gradient need 12.
inline constexpr std::size_t kUsersAsked = 256;

/// Rows from which nodes share LU factors. Factors that are a node of their own take 1 to 2 us
/// more, and those of 10 rows take as much: `solve` and its gradient take 5.5 us together and 3.3
/// us apart with 5 rows, 18 us and 23 us with 30, 178 us and 290 us with 100.
inline constexpr std::int64_t kSharedRows = 10;

}  // namespace thunkvm
