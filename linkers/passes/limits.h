// limits.h: how much of a schedule is made ready to be one nest or one function, and why.
#pragma once

#include <cstddef>
#include <cstdint>

namespace thunkvm {

/// Thunks whose needs are run together: as many as one nest of emitted code may have members
/// (codegen/plan/limits.h). With more, too many values would have to be kept at once.
inline constexpr int kNeedsTogether = 32;

/// Thunks of one Run instruction, across whose border nothing is fused. x = sqrt(x * x + v), 60
/// times over, then x.sum() and its gradient: of 10 elements a call takes 11.4 us with 4, 3.5 us
/// with 16, 2.7 us with 32, and 2.5 to 2.6 us with 128 to 20,000. A segment lies in one function as
/// a whole, so longer ones would make functions of more thunks than these are to have.
inline constexpr std::uint32_t kSegmentThunks = 128;

/// Nodes of users' C in one function. 128 small ones that follow each other take 2.9 s to compile,
/// and 116 ns each in a call, by themselves; 1.4 s and 63 ns in functions of 8, 1.2 s and 60 ns of
/// 16, 1.0 s and 58 ns of 32, 0.9 s and 56 ns of 64 and of 128. Where one node changes its whole
/// function is compiled again: 0.25 s of 8, 0.29 s of 16, 0.36 s of 32, 0.53 s of 64, 0.84 s of
/// 128.
inline constexpr std::size_t kLargestCBlock = 32;

}  // namespace thunkvm
