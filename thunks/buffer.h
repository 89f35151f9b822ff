// buffer.h: reference-counted memory, ours (from the pool) or borrowed from a foreign owner.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace thunkvm {

/// How a foreign owner of memory is let go, and asked who else holds it.
struct ForeignOwner {
  /// Gives up one hold on `owner`. May be called on any thread, at any time: a host that needs a
  /// lock for it queues.
  void (*drop)(void* owner) noexcept;
  /// True if `owner` owns its memory and this buffer's is the only hold on it.
  bool (*exclusive)(void* owner) noexcept;
};

/// A block of memory with an intrusive, atomic reference count.
///
/// Either *ours*: header and data are one block of the MemoryPool, data 64-byte aligned; or
/// *foreign*: the header only, and `owner` keeps the data alive. Created with one reference. Never
/// copied.
class Buffer {
 public:
  /// `bytes` of uninitialised memory from the pool. Throws Error(Memory) with the size when there
  /// is none.
  static Buffer* allocate(std::size_t bytes);
  /// A header for foreign memory; takes over one hold on `owner`.
  static Buffer* borrow(void* data, std::size_t bytes, bool writable, void* owner,
                        const ForeignOwner* hooks);

  void retain() { references_.fetch_add(1, std::memory_order_relaxed); }
  void release() {
    if (references_.load(std::memory_order_acquire) == 1 ||
        references_.fetch_sub(1, std::memory_order_acq_rel) == 1)
      destroy();
  }

  void* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }
  bool writable() const { return writable_; }
  bool foreign() const { return hooks_ != nullptr; }
  void* owner() const { return owner_; }
  const ForeignOwner* hooks() const { return hooks_; }

  /// True if the one reference that the caller has is the only way to this memory, and it may be
  /// written.
  bool exclusive() const {
    return references_.load(std::memory_order_acquire) == 1 && writable_ &&
           (hooks_ == nullptr || hooks_->exclusive(owner_));
  }

 private:
  Buffer() = default;
  void destroy();

  std::atomic<std::uint32_t> references_{1};
  bool writable_ = true;
  std::uint8_t size_class_ = 0;
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
  void* owner_ = nullptr;
  const ForeignOwner* hooks_ = nullptr;
};

}  // namespace thunkvm
