// limits.h: how long the lock of Python is kept, and why.
#pragma once

#include <chrono>

namespace thunkvm {

/// As long as Python's own interpreter lets a thread keep the GIL while others wait
/// (sys.getswitchinterval).
inline constexpr std::chrono::milliseconds kSwitchInterval{5};

/// A call that runs no Python gives up the GIL when it has lasted so long. To give it up and take
/// it again costs 0.1 us; to wait for a thread that runs Python, up to `kSwitchInterval`.
inline constexpr std::chrono::microseconds kWorthStaying{50};
/// A call that stays away asks so often for signals: each time it waits for the GIL.
inline constexpr std::chrono::milliseconds kSignalInterval{20};

}  // namespace thunkvm
