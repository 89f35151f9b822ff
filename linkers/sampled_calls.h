// sampled_calls.h: the calls of a traced function that are sampled, and the time of the others.
#pragma once

#include "vm/clock.h"

#include <cstdint>
#include <utility>

namespace thunkvm {

/// For threads that take turns.
class SampledCalls {
 public:
  /// True if the call that begins is sampled; counts it.
  bool is_sampled() {
    if (to_skip_ == 0) return true;
    --to_skip_;
    return false;
  }
  /// The next `n` calls are not sampled.
  void skip(std::uint64_t n) { to_skip_ = n; }
  /// Adds the time of a call that was not sampled.
  void add_skipped(std::uint64_t ticks) { skipped_ += ticks; }
  /// The seconds of such calls since this was asked last.
  double take_skipped() {
    return static_cast<double>(std::exchange(skipped_, 0)) * Clock::seconds_per_tick();
  }

 private:
  std::uint64_t to_skip_ = 0;
  std::uint64_t skipped_ = 0;  ///< ticks
};

}  // namespace thunkvm
