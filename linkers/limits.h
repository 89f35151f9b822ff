// limits.h: the numbers by which linking trades time for precision, and why they are what they are.
// None changes a value; the programs that they choose between are all right.
#pragma once

#include "linkers/codegen/plan/limits.h"

#include <cstdint>

namespace thunkvm {

/// Levels of regions within regions in which a last touch is found exactly; in deeper ones a touch
/// counts at the last statement where it can occur. Each level costs one more look at each use;
/// with 16 a conditional among 10,000 that are nested is linked in 3.1 us (`./dev bench scaling`).
inline constexpr std::uint32_t kPreciseLevels = 16;
/// A value with more uses than this is retired after the branch that they are in, not in its arms,
/// where it would be a list of uses times arms. A value with 1,000 uses, three branches deep, takes
/// no longer to link with any number: 3.4 ms with 64, 3.3 ms with 512.
inline constexpr std::uint32_t kFewUses = 64;
/// A branch with more arms than this has values retired after it, not in its arms: a list of
/// values times arms. One of 64 arms and 64 values is linked in 2.5 ms with 1 and 8, 2.7 ms with
/// 64.
inline constexpr std::uint32_t kFewRetiringArms = 8;
/// So has a branch that lies within more branches than this: the way goes down by recursion. 200
/// nested ones are linked in 5.1 to 5.4 us each with any number from 0 to 200.
inline constexpr int kArmLevels = 8;

/// Thunks whose needs are run together: as many as one loop of emitted code may have members. With
/// more, too many values would have to be kept at once.
inline constexpr int kNeedsTogether = static_cast<int>(kLoopMembers);

/// Thunks of one Run instruction, across whose border nothing is fused. x = sqrt(x * x + v), 60
/// times over, then x.sum() and its gradient: of 10 elements a call takes 11.4 us with 4, 3.5 us
/// with 16, 2.7 us with 32, and 2.5 to 2.6 us with 128 to 20,000. A segment lies in one function as
/// a whole, so longer ones would make functions of more thunks than these are to have.
inline constexpr std::uint32_t kSegmentThunks = 128;
static_assert(kSegmentThunks <= kFunctionThunks);

/// Thunks for which one more call is waited for before a program is compiled. Compiling takes
/// 50 us a thunk and a call saves some ns of it (`./dev bench large`, `chain`): a function of many
/// thunks has to be called often to be worth it, and one that is called twice may be called again.
inline constexpr std::uint64_t kThunksPerCall = 400;

}  // namespace thunkvm
