// thread_cache.h: the part of the memory pool that belongs to one thread, small enough to be
// inlined where blocks come and go.
#pragma once

#include "thunks/limits.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace thunkvm {

/// The sizes that blocks come in: four classes for each power of two from 64 bytes on.
namespace size_classes {

/// Class 4k+j holds 64 * 2^k * (1 + j/4) bytes.
constexpr std::size_t bytes_of(int size_class) {
  return (std::size_t{64} << (size_class / 4)) / 4 * static_cast<std::size_t>(4 + size_class % 4);
}
/// The smallest class for so many bytes.
constexpr int of(std::size_t bytes) {
  if (bytes <= 64) return 0;
  const int power =
      std::bit_width((bytes - 1) / 64) - 1;  // 64 * 2^power < bytes <= 64 * 2^(power+1)
  const int quarter = power + 4;  // a quarter of 64 * 2^power is 2^quarter bytes: no division here
  const std::size_t over = bytes - (std::size_t{64} << power);
  const int j = static_cast<int>((over + (std::size_t{1} << quarter) - 1) >> quarter);
  return 4 * power + j;
}

/// The classes whose blocks pass through the thread's cache.
inline constexpr int kSmallClasses = of(kSmallBlock) + 1;

/// The small classes by the number of 64-byte lines that are asked for.
inline constexpr std::array<std::uint8_t, kSmallBlock / 64 + 1> kOfLines = [] {
  std::array<std::uint8_t, kSmallBlock / 64 + 1> table{};
  for (std::size_t lines = 1; lines < table.size(); ++lines)
    table[lines] = static_cast<std::uint8_t>(of(64 * lines));
  return table;
}();
inline constexpr std::array<std::uint32_t, kSmallClasses> kBytes = [] {
  std::array<std::uint32_t, kSmallClasses> table{};
  for (int c = 0; c < kSmallClasses; ++c)
    table[static_cast<std::size_t>(c)] = static_cast<std::uint32_t>(bytes_of(c));
  return table;
}();
static_assert(kBytes.back() == kSmallBlock);

}  // namespace size_classes

/// The part of the pool that one thread keeps: idle small blocks, and the part of the pool's
/// statistics that it has not added to the process's yet (an atomic addition for each small block
/// would cost as much as the block).
struct ThreadCache {
  struct Idle {
    Idle* next;
  };
  struct List {
    Idle* first = nullptr;
    std::uint32_t count = 0;
  };
  std::array<List, size_classes::kSmallClasses> lists{};
  std::int64_t in_use_delta = 0, live_delta = 0;
  std::int64_t held_delta = 0;     ///< bytes from the system, in use or idle
  std::int64_t highest_delta = 0;  ///< of in_use_delta: peaks between two flushes count

  /// The thread's own; null before its first block and while the thread ends. One word of
  /// thread-local storage that is cheap to read from a shared library: the cache is on the heap.
  static ThreadCache* current() { return current_; }
  /// The same, made where there is none yet; null while the thread ends.
  static ThreadCache* make();

  void note_taken(std::int64_t bytes) noexcept {
    in_use_delta += bytes;
    ++live_delta;
    highest_delta = std::max(highest_delta, in_use_delta);
    if (in_use_delta > kUnflushedBytes) [[unlikely]]
      flush();
  }
  void note_given(std::int64_t bytes) noexcept {
    in_use_delta -= bytes;
    --live_delta;
    if (in_use_delta < -kUnflushedBytes) [[unlikely]]
      flush();
  }
  /// Adds the deltas to the process's statistics.
  void flush() noexcept;
  /// Gives all idle blocks back to the system.
  void drop() noexcept;

 private:
  struct Owner;
  [[gnu::tls_model("initial-exec")]] static constinit thread_local ThreadCache* current_;
};

}  // namespace thunkvm
