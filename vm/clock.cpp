#include "vm/clock.h"

#include "vm/limits.h"

#include <atomic>
#include <chrono>
#include <fstream>
#include <string>

namespace thunkvm {
namespace {

std::atomic<std::uint64_t> set_time{0};

std::uint64_t read_set_time() { return set_time.load(std::memory_order_relaxed); }

std::uint64_t read_system_clock() {
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                        std::chrono::steady_clock::now().time_since_epoch())
                                        .count());
}

/// Whether the processor's counter goes on at one rate on all cores: the system trusts it then.
bool counter_is_even() {
#if defined(__x86_64__)
  std::ifstream file("/sys/devices/system/clocksource/clocksource0/current_clocksource");
  std::string source;
  return file >> source && source == "tsc";
#else
  return false;
#endif
}

Clock::Read real_clock() {
  static const Clock::Read read = counter_is_even() ? nullptr : read_system_clock;
  return read;
}

/// The counter against the system's clock.
double measure_tick() {
#if defined(__x86_64__)
  const std::uint64_t begin = read_system_clock(), first = __rdtsc();
  std::uint64_t end = begin, last = first;
  while (end - begin < kTickNanoseconds) {
    end = read_system_clock();
    last = __rdtsc();
  }
  return static_cast<double>(end - begin) / static_cast<double>(last - first) * 1e-9;
#else
  return 1e-9;
#endif
}

}  // namespace

Clock::Read Clock::read_ = real_clock();

double Clock::seconds_per_tick() {
  if (read_ != nullptr) return 1e-9;
  static const double seconds = measure_tick();
  return seconds;
}

void Clock::stand_still(bool still) { read_ = still ? read_set_time : real_clock(); }

bool Clock::is_set() { return read_ == read_set_time; }

void Clock::advance(std::uint64_t nanoseconds) { set_time += nanoseconds; }

}  // namespace thunkvm
