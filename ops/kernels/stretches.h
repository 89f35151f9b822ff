// stretches.h: long work of a kernel in stretches, between which the host may end it.
#pragma once

#include "thunks/error.h"
#include "thunks/host.h"

#include <algorithm>
#include <cstdint>

namespace thunkvm {

/// Elements of a stretch: some milliseconds, even where each is far from the one before.
inline constexpr std::int64_t kStretch = 1 << 20;

/// Calls `f(begin, end)` for consecutive stretches of [0, n), where each index stands for `weight`
/// elements. The host is left during each that is worth it, and asked between two whether to stop:
/// then this throws Error(Interrupted).
template <class F>
void in_stretches(Host& host, std::int64_t n, std::int64_t weight, F&& f) {
  const std::int64_t length =
      std::max<std::int64_t>(1, kStretch / std::max<std::int64_t>(1, weight));
  for (std::int64_t begin = 0; begin < n; begin += length) {
    if (begin != 0 && host.interrupted())
      throw Error(ErrorKind::Interrupted, "the call was interrupted");
    const std::int64_t end = std::min(n, begin + length);
    const HostLeave leave(host, (end - begin) * weight);
    f(begin, end);
  }
}

}  // namespace thunkvm
