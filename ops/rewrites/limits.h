// limits.h: how long one node is rewritten, and why.
#pragma once

namespace thunkvm {

/// New forms of one node that are tried: each is smaller than the one before, so this is never
/// reached but by a rewrite that is wrong.
inline constexpr int kMostForms = 16;

}  // namespace thunkvm
