// limits.h: when a kernel is worth leaving the host for, and the memory of its run, and why.
#pragma once

#include <cstddef>

namespace thunkvm {

/// Seconds of a user's kernel from which on releasing the host's lock is worth it. To release
/// Python's and take it again takes 76 ns (a kernel of one element: 251 ns, else 174 ns), less than
/// a hundredth of it.
inline constexpr double kLongKernel = 20e-6;

/// Inputs and outputs of a user's kernel whose descriptions need no memory of their own. A kernel
/// of one input takes 75 to 95 ns, and 104 to 109 ns with 0.
inline constexpr std::size_t kFewOperands = 8;
/// Bytes of a user's kernel's message of failure; a longer one is cut off. A reader wants some ten
/// lines, and they lie on the stack.
inline constexpr std::size_t kLongestFailure = 1024;

}  // namespace thunkvm
