// clock.h: the time, as cheaply as it can be read.
#pragma once

#include <cstdint>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace thunkvm {

/// Counts ticks. They are those of the processor's own counter if that is even (10 ns a read), else
/// nanoseconds of the system's monotonic clock. The length of a tick was measured against the
/// system's clock.
///
/// Tests may replace it with another clock, for the whole process.
class Clock {
 public:
  using Read = std::uint64_t (*)();

  static std::uint64_t now() {
#if defined(__x86_64__)
    if (read_ == nullptr) [[likely]]
      return __rdtsc();
#endif
    return read_();
  }
  /// True if `now` reads the processor's counter, and so calls nothing.
  static bool is_counter() { return read_ == nullptr; }
  static double seconds_per_tick();

  /// true: from now on `advance` alone moves the time, in nanoseconds. false: the real time again.
  static void stand_still(bool still);
  static void advance(std::uint64_t nanoseconds);
  static bool is_set();

 private:
  static Read read_;
};

}  // namespace thunkvm
