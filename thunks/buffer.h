// buffer.h: reference-counted memory, ours (from the pool) or borrowed from a foreign owner.
#pragma once

#include <atomic>
#include <cstdint>

namespace thunkvm {

/// The hooks of a foreign owner of memory: one releases it, one says if others hold it.
struct ForeignOwner {
  /// Gives up one hold on `owner`. May be called on any thread, at any time: a host that needs a
  /// lock for it queues.
  void (*drop)(void* owner) noexcept;
  /// True if `owner` owns its memory and this buffer's is the only hold on it.
  bool (*exclusive)(void* owner) noexcept;
};

/// The head of a block of the MemoryPool, with an intrusive, atomic reference count. Made and laid
/// out by Array.
///
/// Either *ours*: the elements are in the same block; or *foreign*: `owner` keeps them alive. Made
/// with one reference. Never copied.
class Buffer {
 public:
  explicit Buffer(std::uint8_t size_class) : size_class_(size_class) {}
  /// Takes over one hold on `owner`.
  Buffer(std::uint8_t size_class, bool writable, void* owner, const ForeignOwner* hooks)
      : writable_(writable), size_class_(size_class), owner_(owner), hooks_(hooks) {}
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  void retain() { references_.fetch_add(1, std::memory_order_relaxed); }
  void release() {
    if (drop_reference()) destroy();
  }

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
  friend class Array;
  /// Gives up a reference; true if it was the last one.
  bool drop_reference() {
    return references_.load(std::memory_order_acquire) == 1 ||
           references_.fetch_sub(1, std::memory_order_acq_rel) == 1;
  }
  void destroy();    ///< gives back the block that begins here
  void give_back();  ///< the same, inline where arrays are destroyed

  std::atomic<std::uint32_t> references_{1};
  bool writable_ = true;
  std::uint8_t size_class_;
  void* owner_ = nullptr;
  const ForeignOwner* hooks_ = nullptr;
};

}  // namespace thunkvm
