// limits.h: when a program is worth compiling, and why.
#pragma once

#include <cstdint>

namespace thunkvm {

/// Thunks for which one more call is waited for before a program is compiled. Compiling takes
/// 50 us a thunk and a call saves some ns of it (`./dev bench large`, `chain`): a function of many
/// thunks has to be called often to be worth it, and one that is called twice may be called again.
inline constexpr std::uint64_t kThunksPerCall = 400;

}  // namespace thunkvm
