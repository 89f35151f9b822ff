// memory_pool.h: recycled memory for buffers and array headers, with its use and its peak in sight.
#pragma once

#include "thunks/thread_cache.h"

#include <cstddef>
#include <cstdint>

namespace thunkvm {

/// The pool's memory, in bytes. `in_use` is the memory of live buffers (rounded up to their size
/// class); `peak` the largest `in_use` since the start or the last `reset_peak`; `cached` the
/// memory that waits to be used again; `live_buffers` counts blocks, headers of views included.
/// Other threads' last kUnflushedBytes each may be missing.
struct PoolStatistics {
  std::size_t in_use = 0;
  std::size_t peak = 0;
  std::size_t cached = 0;
  std::uint64_t live_buffers = 0;
};

/// The process's pool of memory blocks in size classes (four per power of two, the smallest 64
/// bytes).
///
/// Blocks up to kSmallBlock are recycled through a cache of the thread, larger ones through lists
/// of all threads, up to kMostIdleBytes of idle memory: fresh memory costs page faults (4.4 ns an
/// element against 1.2 in a recycled block). Thread-safe. Built with
/// AddressSanitizer nothing is recycled or larger than was asked for, so that a use after release
/// or behind the end is seen.
class MemoryPool {
 public:
  /// At least so many bytes, aligned to 64 and not initialised. Throws Error(Memory) with the size
  /// when there are none.
  static void* allocate(std::size_t bytes, std::uint8_t& size_class) {
    if (bytes <= kSmallBlock) [[likely]] {
      size_class = size_classes::kOfLines[(bytes + 63) / 64];
      if (ThreadCache* cache = ThreadCache::current()) [[likely]] {
        ThreadCache::List& list = cache->lists[size_class];
        if (ThreadCache::Idle* block = list.first) [[likely]] {
          list.first = block->next;
          --list.count;
          cache->note_taken(size_classes::kBytes[size_class]);
          return block;
        }
      }
    }
    return allocate_new(bytes, size_class);
  }
  static void release(void* block, std::uint8_t size_class) noexcept {
    if (size_class < size_classes::kSmallClasses) [[likely]] {
      if (ThreadCache* cache = ThreadCache::current()) [[likely]] {
        ThreadCache::List& list = cache->lists[size_class];
        if (kRecycles && list.count < kIdleBlocks) [[likely]] {
          ThreadCache::Idle* idle = static_cast<ThreadCache::Idle*>(block);
          idle->next = list.first;
          list.first = idle;
          ++list.count;
          cache->note_given(size_classes::kBytes[size_class]);
          return;
        }
      }
    }
    release_rest(block, size_class);
  }

  static PoolStatistics statistics();
  static void reset_peak();
  /// Gives the idle blocks of those lists, and of the calling thread, back to the system.
  static void trim() noexcept;

 private:
#if defined(__SANITIZE_ADDRESS__)
  static constexpr bool kRecycles = false;
#else
  static constexpr bool kRecycles = true;
#endif
  /// `allocate` where the thread's cache has no such block, and for large ones.
  static void* allocate_new(std::size_t bytes, std::uint8_t& size_class);
  static void* allocate_large(std::size_t bytes, std::uint8_t& size_class);
  static void release_rest(void* block, std::uint8_t size_class) noexcept;
  static void release_large(void* block, std::uint8_t size_class) noexcept;
};

}  // namespace thunkvm
