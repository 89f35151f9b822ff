// limits.h: how long one node is rewritten, how far its users are asked, and why.
#pragma once

#include <cstddef>

namespace thunkvm {

/// New forms of one node that are tried: each is smaller than the one before, so this is never
/// reached but by a rewrite that is wrong.
inline constexpr int kMostForms = 16;

/// Nodes that are asked, upwards and downwards, whether each user of a value demands a factor. The
/// log likelihood of a Gaussian process and its gradient need 12.
inline constexpr std::size_t kUsersAsked = 256;

}  // namespace thunkvm
