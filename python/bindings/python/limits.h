// limits.h: how long the lock of Python is kept, and why.
#pragma once

#include <chrono>

namespace thunkvm {

/// As long as Python's own interpreter lets a thread keep the GIL while others wait
/// (sys.getswitchinterval).
inline constexpr std::chrono::milliseconds kSwitchInterval{5};

}  // namespace thunkvm
