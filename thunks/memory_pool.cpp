#include "thunks/memory_pool.h"

#include "thunks/error.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstdlib>
#include <mutex>
#include <new>
#include <string>
#include <utility>

namespace thunkvm {
namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kRecycle = false;
#else
constexpr bool kRecycle = true;
#endif

constexpr std::size_t kAlignment = 64;
constexpr std::size_t kSmall = 4096;          // up to here: the thread's own cache
constexpr std::size_t kIdleCap = 256u << 20;  // idle bytes in the shared lists
constexpr std::size_t kThreadBlocks = 64;     // idle blocks of one class and thread
constexpr int kClasses = 160;
constexpr std::int64_t kUnflushed = 64
                                    << 10;  // a thread's share of the statistics that may be unseen
constexpr std::uint8_t kHuge = 255;         // too large for a class: returned to the system at once

// Four classes for each power of two from 64 bytes on: class 4k+j holds 64 * 2^k * (1 + j/4) bytes.
constexpr std::size_t class_bytes(int size_class) {
  return (std::size_t{64} << (size_class / 4)) / 4 * static_cast<std::size_t>(4 + size_class % 4);
}

constexpr int class_of(std::size_t bytes) {
  if (bytes <= 64) return 0;
  const int power =
      std::bit_width((bytes - 1) / 64) - 1;  // 64 * 2^power < bytes <= 64 * 2^(power+1)
  const int quarter = power + 4;  // a quarter of 64 * 2^power is 2^quarter bytes: no division here
  const std::size_t over = bytes - (std::size_t{64} << power);
  const int j = static_cast<int>((over + (std::size_t{1} << quarter) - 1) >> quarter);
  return 4 * power + j;
}

// The classes up to kSmall, by the number of 64-byte lines that are asked for, and their sizes.
constexpr int kSmallClasses = 25;
constexpr std::array<std::uint8_t, kSmall / 64 + 1> kClassOfLines = [] {
  std::array<std::uint8_t, kSmall / 64 + 1> table{};
  for (std::size_t lines = 1; lines < table.size(); ++lines)
    table[lines] = static_cast<std::uint8_t>(class_of(64 * lines));
  return table;
}();
constexpr std::array<std::uint32_t, kSmallClasses> kSmallBytes = [] {
  std::array<std::uint32_t, kSmallClasses> table{};
  for (int c = 0; c < kSmallClasses; ++c)
    table[static_cast<std::size_t>(c)] = static_cast<std::uint32_t>(class_bytes(c));
  return table;
}();
static_assert(kClassOfLines.back() == kSmallClasses - 1 && kSmallBytes.back() == kSmall);

struct Idle {
  Idle* next;
};

std::atomic<std::int64_t> in_use{0}, peak{0}, idle_bytes{0}, live{0};

struct SharedLists {
  std::mutex mutex;
  std::array<Idle*, kClasses> lists{};
  std::size_t bytes = 0;
};
SharedLists& shared_lists() {
  static SharedLists* lists = new SharedLists;  // outlives every thread and every static object
  return *lists;
}

// What one thread keeps: idle small blocks, and the part of the statistics that it has not added to
// the process's yet (an atomic addition for each small block would cost as much as the block).
struct ThreadCache {
  std::array<Idle*, kSmallClasses> lists{};
  std::array<std::uint32_t, kSmallClasses> counts{};
  std::int64_t in_use_delta = 0, live_delta = 0, idle_delta = 0;
  std::int64_t highest_delta =
      0;  // the largest in_use_delta since the last flush: peaks between two flushes count

  void flush() noexcept {
    idle_bytes.fetch_add(idle_delta, std::memory_order_relaxed);
    live.fetch_add(live_delta, std::memory_order_relaxed);
    const std::int64_t now =
        in_use.fetch_add(in_use_delta, std::memory_order_relaxed) + highest_delta;
    std::int64_t seen = peak.load(std::memory_order_relaxed);
    while (now > seen && !peak.compare_exchange_weak(seen, now, std::memory_order_relaxed)) {
    }
    in_use_delta = live_delta = idle_delta = highest_delta = 0;
  }
  void note(std::int64_t bytes, std::int64_t blocks) noexcept {
    in_use_delta += bytes;
    live_delta += blocks;
    highest_delta = std::max(highest_delta, in_use_delta);
    if (static_cast<std::uint64_t>(in_use_delta + kUnflushed) > 2 * kUnflushed) [[unlikely]]
      flush();
  }
  void drop() noexcept {
    for (std::size_t i = 0; i < lists.size(); ++i) {
      while (lists[i] != nullptr) {
        Idle* next = lists[i]->next;
        std::free(lists[i]);
        idle_delta -= static_cast<std::int64_t>(class_bytes(static_cast<int>(i)));
        lists[i] = next;
      }
      counts[i] = 0;
    }
    flush();
  }
};

// One word of thread-local storage that is cheap to read from a shared library; the cache itself is
// on the heap.
__attribute__((tls_model("initial-exec"))) thread_local ThreadCache* thread_cache = nullptr;

struct ThreadCacheOwner {
  ~ThreadCacheOwner() {
    if (thread_cache == nullptr) return;
    thread_cache->drop();
    delete std::exchange(thread_cache, nullptr);
    gone = true;
  }
  bool gone = false;
};
thread_local ThreadCacheOwner thread_cache_owner;

// The thread's cache; null while the thread ends, when its cache is gone already.
ThreadCache* make_thread_cache() {
  if (!thread_cache_owner.gone) thread_cache = new ThreadCache;
  return thread_cache;
}
inline ThreadCache* cache_of_thread() {
  return thread_cache != nullptr ? thread_cache : make_thread_cache();
}

void note_use(std::int64_t bytes, std::int64_t blocks) {
  if (ThreadCache* cache = cache_of_thread()) {
    cache->note(bytes, blocks);
  } else {
    ThreadCache last;
    last.note(bytes, blocks);
    last.flush();
  }
}

void* system_allocate(std::size_t bytes) {
  void* block = std::aligned_alloc(kAlignment, (bytes + kAlignment - 1) / kAlignment * kAlignment);
  if (block == nullptr)
    throw Error(ErrorKind::Memory,
                "out of memory: " + std::to_string(bytes) + " bytes were asked for");
  return block;
}

// A huge block remembers its size in front of itself.
constexpr std::size_t kHugeHeader = kAlignment;

void* allocate_large(std::size_t bytes, std::uint8_t& size_class) {
  const int wanted = bytes > (std::size_t{1} << 40) ? kClasses : class_of(bytes);
  if (wanted >= kClasses) {
    if (bytes > SIZE_MAX / 2)
      throw Error(ErrorKind::Memory,
                  "out of memory: " + std::to_string(bytes) + " bytes were asked for");
    char* block = static_cast<char*>(system_allocate(bytes + kHugeHeader));
    *reinterpret_cast<std::size_t*>(block) = bytes;
    size_class = kHuge;
    note_use(static_cast<std::int64_t>(bytes), 1);
    return block + kHugeHeader;
  }
  const std::size_t rounded = class_bytes(wanted);
  size_class = static_cast<std::uint8_t>(wanted);
  void* block = nullptr;
  if (kRecycle) {
    SharedLists& shared = shared_lists();
    std::lock_guard lock(shared.mutex);
    Idle*& list = shared.lists[static_cast<std::size_t>(wanted)];
    if (list != nullptr) {
      block = list;
      list = list->next;
      shared.bytes -= rounded;
      idle_bytes.fetch_sub(static_cast<std::int64_t>(rounded), std::memory_order_relaxed);
    }
  }
  if (block == nullptr) block = system_allocate(rounded);
  note_use(static_cast<std::int64_t>(rounded), 1);
  return block;
}

void release_large(void* block, std::uint8_t size_class) noexcept {
  if (size_class == kHuge) {
    char* start = static_cast<char*>(block) - kHugeHeader;
    note_use(-static_cast<std::int64_t>(*reinterpret_cast<std::size_t*>(start)), -1);
    std::free(start);
    return;
  }
  const std::size_t rounded = class_bytes(size_class);
  note_use(-static_cast<std::int64_t>(rounded), -1);
  if (kRecycle) {
    SharedLists& shared = shared_lists();
    std::lock_guard lock(shared.mutex);
    if (shared.bytes + rounded <= kIdleCap) {
      Idle* idle = static_cast<Idle*>(block);
      idle->next = shared.lists[size_class];
      shared.lists[size_class] = idle;
      shared.bytes += rounded;
      idle_bytes.fetch_add(static_cast<std::int64_t>(rounded), std::memory_order_relaxed);
      return;
    }
  }
  std::free(block);
}

}  // namespace

void* MemoryPool::allocate(std::size_t bytes, std::uint8_t& size_class) {
  if (bytes > kSmall) return allocate_large(bytes, size_class);
  size_class = kClassOfLines[std::max<std::size_t>((bytes + 63) / 64, 1)];
  const std::uint32_t rounded = kSmallBytes[size_class];
  ThreadCache* cache = cache_of_thread();
  if (cache == nullptr) [[unlikely]] {
    void* block = system_allocate(rounded);
    note_use(rounded, 1);
    return block;
  }
  Idle*& list = cache->lists[size_class];
  void* block = list;
  if (block != nullptr) [[likely]] {
    list = list->next;
    --cache->counts[size_class];
    cache->idle_delta -= rounded;
  } else {
    block = system_allocate(rounded);
  }
  cache->note(rounded, 1);
  return block;
}

void MemoryPool::release(void* block, std::uint8_t size_class) noexcept {
  if (size_class >= kSmallClasses) return release_large(block, size_class);
  const std::uint32_t rounded = kSmallBytes[size_class];
  ThreadCache* cache = cache_of_thread();
  if (cache == nullptr) [[unlikely]] {
    note_use(-std::int64_t{rounded}, -1);
    std::free(block);
    return;
  }
  cache->note(-std::int64_t{rounded}, -1);
  if (!kRecycle || cache->counts[size_class] >= kThreadBlocks) {
    std::free(block);
    return;
  }
  Idle* idle = static_cast<Idle*>(block);
  idle->next = cache->lists[size_class];
  cache->lists[size_class] = idle;
  ++cache->counts[size_class];
  cache->idle_delta += rounded;
}

PoolStatistics MemoryPool::statistics() {
  if (ThreadCache* cache = cache_of_thread()) cache->flush();
  const auto read = [](const std::atomic<std::int64_t>& value) {
    return static_cast<std::size_t>(
        std::max<std::int64_t>(value.load(std::memory_order_relaxed), 0));
  };
  return {read(in_use), read(peak), read(idle_bytes), read(live)};
}

void MemoryPool::reset_peak() {
  if (ThreadCache* cache = cache_of_thread()) cache->flush();
  peak.store(in_use.load(std::memory_order_relaxed), std::memory_order_relaxed);
}

void MemoryPool::trim() noexcept {
  if (ThreadCache* cache = cache_of_thread()) cache->drop();
  SharedLists& shared = shared_lists();
  std::lock_guard lock(shared.mutex);
  for (Idle*& list : shared.lists) {
    while (list != nullptr) {
      Idle* next = list->next;
      std::free(list);
      list = next;
    }
  }
  idle_bytes.fetch_sub(static_cast<std::int64_t>(shared.bytes), std::memory_order_relaxed);
  shared.bytes = 0;
}

}  // namespace thunkvm
