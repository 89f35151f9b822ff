// limits.h: what is worth leaving the host for, and memory that a run of a kernel has, and why.
#pragma once

#include <cstddef>

namespace thunkvm {

/// Seconds of a user's kernel from which on letting go of the host's lock is worth it. To let go of
/// Python's and take it again takes 76 ns (a kernel of one element: 251 ns, else 174 ns), less than
/// a hundredth of it.
inline constexpr double kLongKernel = 20e-6;

/// Inputs and outputs of a user's kernel whose descriptions need no memory of their own. A kernel
/// of one input takes 75 to 95 ns, and 104 to 109 ns with 0.
inline constexpr std::size_t kFewOperands = 8;
/// Bytes of what a user's kernel says of its failure; what is longer is cut off: a message of some
/// ten lines is all that a reader wants, and it lies on the stack.
inline constexpr std::size_t kLongestFailure = 1024;

}  // namespace thunkvm
