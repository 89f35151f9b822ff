// limits.h: how much is compiled at once, and why.
#pragma once

#include <cstdint>

namespace thunkvm {

/// Thunks of a module. Each costs the start of a compiler, and all are compiled side by side: on
/// two processors 10,000 nodes take 1.12 s with 200, 0.48 s with 800 and 0.40 s with 3,200, 1,000
/// loops 1.80 s, 1.59 s and 1.93 s (`./dev bench large`).
inline constexpr std::uint32_t kModuleThunks = 800;

/// Steps of a loop of emitted C between two questions to the host whether to stop: one of numbers
/// takes 2 to 10 ns, and a question 5.
inline constexpr std::uint32_t kStepsPerPoll = 256;

}  // namespace thunkvm
