// nest_scratch.h: the memory that the nests of one thread compute in.
#pragma once

#include "ops/kernels/limits.h"
#include "ops/kernels/row_tile.h"

#include <cstddef>
#include <vector>

namespace thunkvm {

/// The position of the gathering of an input: in its values, and in the part that a pad places.
struct Gathering {
  Position value, part;
  RowTile tile;
  std::int64_t next = -1;  ///< the element of the nest that it is at; -1: none
};

class NestScratch {
 public:
  /// The thread's own, for one nest. The host may run another nest in a pause of this one: that
  /// gets one of its own.
  class Lease {
   public:
    Lease() : scratch_(of_thread()), nested_(scratch_->leased_) {
      if (nested_) [[unlikely]]
        scratch_ = new NestScratch;
      scratch_->leased_ = true;
    }
    ~Lease() {
      scratch_->leased_ = false;
      if (nested_) [[unlikely]]
        delete scratch_;
    }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;

    NestScratch& operator*() const { return *scratch_; }
    NestScratch* operator->() const { return scratch_; }

   private:
    NestScratch* scratch_;
    const bool nested_;
  };

  /// Memory for this many operands, each of kBlockBytes, and for a tail of each.
  char* blocks(std::size_t n_operands) { return room(blocks_, n_operands * kOperandBytes); }
  Gathering* gatherings(std::size_t n) { return room(gatherings_, n); }
  // Both are aligned to 16 bytes.
  char* states(std::size_t bytes) { return aligned(states_, bytes); }
  /// The memory that a nest's body has beside the operands' blocks.
  char* own(std::size_t bytes) { return aligned(own_, bytes); }

  /// A block, and lanes behind its last element.
  static constexpr std::int64_t kBlockBytes = (kNestBlock + kNestLanes) * kLargestItem;
  static constexpr std::int64_t kTailBytes = kNestLanes * kLargestItem;
  static constexpr std::int64_t kOperandBytes = kBlockBytes + kTailBytes;

 private:
  static NestScratch* of_thread() {
    static thread_local NestScratch scratch;
    return &scratch;
  }
  static char* aligned(std::vector<std::max_align_t>& list, std::size_t bytes) {
    constexpr std::size_t kUnit = sizeof(std::max_align_t);
    return reinterpret_cast<char*>(room(list, (bytes + kUnit - 1) / kUnit));
  }
  template <class T>
  static T* room(std::vector<T>& list, std::size_t n) {
    if (list.size() < n) [[unlikely]]
      list.resize(n);
    return list.data();
  }

  std::vector<char> blocks_;
  std::vector<std::max_align_t> states_, own_;
  std::vector<Gathering> gatherings_;
  bool leased_ = false;
};

}  // namespace thunkvm
