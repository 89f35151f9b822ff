// watched_calls.h: which calls of a traced function are watched, and how long the others took.
#pragma once

#include "vm/clock.h"

#include <cstdint>
#include <utility>

namespace thunkvm {

/// For threads that take turns.
class WatchedCalls {
 public:
  /// Whether the call that begins is watched; counts it.
  bool is_watched() {
    if (to_pass_ == 0) return true;
    --to_pass_;
    return false;
  }
  /// So many calls to come are not watched.
  void pass_over(std::uint64_t n) { to_pass_ = n; }
  /// Notes how long a call took that was not watched.
  void add_unwatched(std::uint64_t ticks) { unwatched_ += ticks; }
  /// The seconds that such calls took since this was asked last.
  double take_unwatched() {
    return static_cast<double>(std::exchange(unwatched_, 0)) * Clock::seconds_per_tick();
  }

 private:
  std::uint64_t to_pass_ = 0;
  std::uint64_t unwatched_ = 0;  ///< ticks
};

}  // namespace thunkvm
