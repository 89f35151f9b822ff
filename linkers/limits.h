// limits.h: what is worth compiling, or leaving the host for, what is remembered of calls, and why.
#pragma once

#include <cstddef>
#include <cstdint>

namespace thunkvm {

/// Thunks for which one more call is waited for before a program is compiled. Compiling takes
/// 50 us a thunk and a call saves some ns of it (`./dev bench large`, `chain`): a function of many
/// thunks has to be called often to be worth it, and one that is called twice may be called again.
inline constexpr std::uint64_t kThunksPerCall = 400;

/// Seconds of a user's kernel from which on letting go of the host's lock is worth it. To let go of
/// Python's and take it again takes 76 ns (a kernel of one element: 251 ns, else 174 ns), less than
/// a hundredth of it.
inline constexpr double kLongKernel = 20e-6;

/// Inputs and outputs of a user's kernel whose descriptions need no memory of their own. A kernel
/// of one input takes 75 to 95 ns, and 104 to 109 ns with 0.
inline constexpr std::size_t kFewOperands = 8;
/// Bytes of what a user's kernel says of its failure; what is longer is cut off.
inline constexpr std::size_t kLongestFailure = 1024;

/// Layouts of a node that NewRuns knows. So many take 42 kB, and a look among them 6 ns, as among
/// ten.
inline constexpr std::size_t kLayoutsRemembered = 1000;

}  // namespace thunkvm
