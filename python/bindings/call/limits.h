// limits.h: how many arguments calls have room for without asking for memory, and why.
#pragma once

#include <cstddef>

namespace thunkvm {

/// Arguments that are bound to names in memory of the call's own. A call with two of which one is
/// named takes 145 to 155 ns with room for none, 133 to 147 ns with room for 16; one with 16 takes
/// 212 ns and 193 to 202 ns.
inline constexpr std::size_t kInlineArguments = 16;

}  // namespace thunkvm
