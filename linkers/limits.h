// limits.h: when compiling is worth it, how much of calls is remembered, and why.
#pragma once

#include <cstddef>
#include <cstdint>

namespace thunkvm {

/// Thunks for which one more call is waited for before a program is compiled. Compiling takes
/// 50 us a thunk and a call saves some ns of it (`./dev bench large`, `chain`): a function of many
/// thunks has to be called often to be worth it, and one that is called twice may be called again.
inline constexpr std::uint64_t kThunksPerCall = 400;

/// Layouts of a node that NewRuns knows. So many take 42 kB, and a look among them 6 ns, as among
/// ten.
inline constexpr std::size_t kLayoutsRemembered = 1000;

}  // namespace thunkvm
