// watched_calls.h: the calls of a traced function that are watched, and the time of the others.
#pragma once

#include "vm/clock.h"

#include <cstdint>
#include <utility>

namespace thunkvm {

/// For threads that take turns.
class WatchedCalls {
 public:
  /// True if the call that begins is watched; counts it.
  bool is_watched() {
    if (to_pass_ == 0) return true;
    --to_pass_;
    return false;
  }
  /// The next so many calls are not watched.
  void pass_over(std::uint64_t n) { to_pass_ = n; }
  /// Adds the time of a call that was not watched.
  void add_unwatched(std::uint64_t ticks) { unwatched_ += ticks; }
  /// The seconds of such calls since this was asked last.
  double take_unwatched() {
    return static_cast<double>(std::exchange(unwatched_, 0)) * Clock::seconds_per_tick();
  }

 private:
  std::uint64_t to_pass_ = 0;
  std::uint64_t unwatched_ = 0;  ///< ticks
};

}  // namespace thunkvm
