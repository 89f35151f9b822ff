// limits.h: the numbers by which lifetimes trade time for precision, and why. None changes a value:
// all programs that they choose between are right.
#pragma once

#include <cstdint>

namespace thunkvm {

/// Levels of regions within regions in which a last touch is found exactly; in deeper ones a touch
/// counts at the last statement where it can occur. Each level costs one more look at each use;
/// with 16 a conditional among 10,000 that are nested is linked in 3.1 us (`./dev bench scaling`).
inline constexpr std::uint32_t kPreciseLevels = 16;
/// A value with more uses than this is retired after the branch around them, not in its arms: that
/// would be a list of uses times arms. A value with 1,000 uses, three branches deep, takes no
/// longer to link with any number: 3.4 ms with 64, 3.3 ms with 512.
inline constexpr std::uint32_t kFewUses = 64;
/// A branch with more arms than this has values retired after it, not in its arms: a list of
/// values times arms. One of 64 arms and 64 values is linked in 2.5 ms with 1 and 8, 2.7 ms with
/// 64.
inline constexpr std::uint32_t kFewRetiringArms = 8;
/// So has a branch that lies within more branches than this: the way goes down by recursion. 200
/// nested ones are linked in 5.1 to 5.4 us each with any number from 0 to 200.
inline constexpr int kArmLevels = 8;

}  // namespace thunkvm
