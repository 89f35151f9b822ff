// limits.h: how much of a schedule is made ready to be one loop or one function, and why.
#pragma once

#include <cstdint>

namespace thunkvm {

/// Thunks whose needs are run together: as many as one loop of emitted code may have members
/// (codegen/plan/limits.h). With more, too many values would have to be kept at once.
inline constexpr int kNeedsTogether = 32;

/// Thunks of one Run instruction, across whose border nothing is fused. x = sqrt(x * x + v), 60
/// times over, then x.sum() and its gradient: of 10 elements a call takes 11.4 us with 4, 3.5 us
/// with 16, 2.7 us with 32, and 2.5 to 2.6 us with 128 to 20,000. A segment lies in one function as
/// a whole, so longer ones would make functions of more thunks than these are to have.
inline constexpr std::uint32_t kSegmentThunks = 128;

}  // namespace thunkvm
