#include "thunks/memory_pool.h"

#include "thunks/error.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <mutex>
#include <string>
#include <utility>

namespace thunkvm {
namespace {

using Idle = ThreadCache::Idle;

constexpr int kClasses = size_classes::of(kLargestClass) + 1;
constexpr std::uint8_t kHuge = 255;  // of larger blocks, which go back to the system at once

// Bytes from the system (in use or idle), and those of them in use.
std::atomic<std::int64_t> held{0}, in_use{0}, peak{0}, live{0};

// The idle blocks that threads share.
struct CommonLists {
  std::mutex mutex;
  std::array<Idle*, kClasses> lists{};
  std::size_t bytes = 0;
};
CommonLists& common_lists() {
  static CommonLists* lists = new CommonLists;  // outlives every thread and every static object
  return *lists;
}

// Calls `note` with the thread's cache, or with one that is flushed at once while the thread ends.
template <class Note>
void with_cache(Note&& note) {
  if (ThreadCache* cache = ThreadCache::make()) {
    note(*cache);
  } else {
    ThreadCache last;
    note(last);
    last.flush();
  }
}

// Notes a block that was taken, after `from_system` bytes came from the system for it.
void note_taken(std::size_t bytes, std::size_t from_system) {
  with_cache([&](ThreadCache& cache) {
    cache.held_delta += static_cast<std::int64_t>(from_system);
    cache.note_taken(static_cast<std::int64_t>(bytes));
    if (cache.held_delta > kUnflushedBytes) cache.flush();
  });
}

// Notes a block that was given back, and `to_system` bytes that the system got of it.
void note_given(std::size_t bytes, std::size_t to_system) {
  with_cache([&](ThreadCache& cache) {
    cache.held_delta -= static_cast<std::int64_t>(to_system);
    cache.note_given(static_cast<std::int64_t>(bytes));
    if (cache.held_delta < -kUnflushedBytes) cache.flush();
  });
}

[[noreturn]] void throw_out_of_memory(std::size_t bytes) {
  throw Error(ErrorKind::Memory,
              "out of memory: " + std::to_string(bytes) + " bytes were asked for");
}

void* system_allocate(std::size_t bytes) {
  void* block = std::aligned_alloc(
      kBlockAlignment, (bytes + kBlockAlignment - 1) / kBlockAlignment * kBlockAlignment);
  if (block == nullptr) throw_out_of_memory(bytes);
  return block;
}

// A huge block remembers its size in front of itself.
constexpr std::size_t kHugeHeader = kBlockAlignment;

}  // namespace

// ---- the thread's cache ----

constinit thread_local ThreadCache* ThreadCache::current_ = nullptr;

struct ThreadCache::Owner {
  ~Owner() {
    if (current_ != nullptr) {
      current_->drop();
      delete std::exchange(current_, nullptr);
    }
    gone = true;
  }
  bool gone = false;
};

ThreadCache* ThreadCache::make() {
  if (current_ == nullptr) {
    static thread_local Owner owner;
    if (!owner.gone) current_ = new ThreadCache;
  }
  return current_;
}

void ThreadCache::flush() noexcept {
  held.fetch_add(held_delta, std::memory_order_relaxed);
  live.fetch_add(live_delta, std::memory_order_relaxed);
  const std::int64_t now =
      in_use.fetch_add(in_use_delta, std::memory_order_relaxed) + highest_delta;
  std::int64_t seen = peak.load(std::memory_order_relaxed);
  while (now > seen && !peak.compare_exchange_weak(seen, now, std::memory_order_relaxed)) {
  }
  held_delta = in_use_delta = live_delta = highest_delta = 0;
}

void ThreadCache::drop() noexcept {
  for (std::size_t c = 0; c < lists.size(); ++c) {
    held_delta -= std::int64_t{lists[c].count} * size_classes::kBytes[c];
    for (Idle* block = std::exchange(lists[c], List{}).first; block != nullptr;) {
      Idle* next = block->next;
      std::free(block);
      block = next;
    }
  }
  flush();
}

// ---- what is not inline ----

void* MemoryPool::allocate_new(std::size_t bytes, std::uint8_t& size_class) {
  if (bytes > kSmallBlock) return allocate_large(bytes, size_class);
  const std::size_t rounded = size_classes::kBytes[size_class];
  void* block = system_allocate(kRecycles ? rounded : bytes);
  note_taken(rounded, rounded);
  return block;
}

void* MemoryPool::allocate_large(std::size_t bytes, std::uint8_t& size_class) {
  if (bytes > kLargestClass) {
    if (bytes > SIZE_MAX / 2) throw_out_of_memory(bytes);
    char* block = static_cast<char*>(system_allocate(bytes + kHugeHeader));
    *reinterpret_cast<std::size_t*>(block) = bytes;
    size_class = kHuge;
    note_taken(bytes, bytes);
    return block + kHugeHeader;
  }
  size_class = static_cast<std::uint8_t>(size_classes::of(bytes));
  const std::size_t rounded = size_classes::bytes_of(size_class);
  if (kRecycles) {
    CommonLists& common = common_lists();
    std::unique_lock lock(common.mutex);
    Idle*& list = common.lists[size_class];
    if (list != nullptr) {
      void* block = std::exchange(list, list->next);
      common.bytes -= rounded;
      lock.unlock();
      note_taken(rounded, 0);
      return block;
    }
  }
  void* block = system_allocate(kRecycles ? rounded : bytes);
  note_taken(rounded, rounded);
  return block;
}

void MemoryPool::release_rest(void* block, std::uint8_t size_class) noexcept {
  if (size_class >= size_classes::kSmallClasses) return release_large(block, size_class);
  const std::size_t rounded = size_classes::kBytes[size_class];
  std::free(block);
  note_given(rounded, rounded);
}

void MemoryPool::release_large(void* block, std::uint8_t size_class) noexcept {
  if (size_class == kHuge) {
    char* start = static_cast<char*>(block) - kHugeHeader;
    const std::size_t bytes = *reinterpret_cast<std::size_t*>(start);
    std::free(start);
    return note_given(bytes, bytes);
  }
  const std::size_t rounded = size_classes::bytes_of(size_class);
  if (kRecycles) {
    CommonLists& common = common_lists();
    std::unique_lock lock(common.mutex);
    if (common.bytes + rounded <= kMostIdleBytes) {
      Idle* idle = static_cast<Idle*>(block);
      idle->next = std::exchange(common.lists[size_class], idle);
      common.bytes += rounded;
      lock.unlock();
      return note_given(rounded, 0);
    }
  }
  std::free(block);
  note_given(rounded, rounded);
}

PoolStatistics MemoryPool::statistics() {
  if (ThreadCache* cache = ThreadCache::current()) cache->flush();
  const std::int64_t used = in_use.load(std::memory_order_relaxed);
  const auto amount = [](std::int64_t value) {
    return static_cast<std::size_t>(std::max<std::int64_t>(value, 0));
  };
  return {amount(used), amount(peak.load(std::memory_order_relaxed)),
          amount(held.load(std::memory_order_relaxed) - used),
          amount(live.load(std::memory_order_relaxed))};
}

void MemoryPool::reset_peak() {
  if (ThreadCache* cache = ThreadCache::current()) cache->flush();
  peak.store(in_use.load(std::memory_order_relaxed), std::memory_order_relaxed);
}

void MemoryPool::trim() noexcept {
  if (ThreadCache* cache = ThreadCache::current()) cache->drop();
  CommonLists& common = common_lists();
  std::lock_guard lock(common.mutex);
  for (Idle*& list : common.lists) {
    while (list != nullptr) {
      Idle* next = list->next;
      std::free(list);
      list = next;
    }
  }
  held.fetch_sub(static_cast<std::int64_t>(std::exchange(common.bytes, 0)),
                 std::memory_order_relaxed);
}

}  // namespace thunkvm
