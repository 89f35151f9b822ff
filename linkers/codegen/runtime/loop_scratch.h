// loop_scratch.h: what the fused loops of one thread compute in.
#pragma once

#include "linkers/codegen/runtime/fused_loop.h"
#include "linkers/codegen/runtime/packing.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <vector>

namespace thunkvm {

class LoopScratch {
 public:
  static LoopScratch& of_thread() {
    static thread_local LoopScratch scratch;
    return scratch;
  }
  /// Memory for this many operands, each of kBlockBytes, and for a tail of each.
  char* blocks(std::size_t n_operands) { return room(blocks_, n_operands * kOperandBytes); }
  Packer* packers(std::size_t n) { return room(packers_, n); }
  Placer* placers(std::size_t n) { return room(placers_, n); }
  View* parts(std::size_t n) { return n == 0 ? nullptr : room(parts_, n); }
  char* states(std::size_t bytes) {
    constexpr std::size_t kUnit = sizeof(std::max_align_t);
    return reinterpret_cast<char*>(room(states_, (bytes + kUnit - 1) / kUnit));
  }

  /// A block, and lanes behind its last element.
  static constexpr std::int64_t kBlockBytes = (kLoopBlock + kLoopLanes) * 8;
  static constexpr std::int64_t kTailBytes = kLoopLanes * 8;
  static constexpr std::int64_t kOperandBytes = kBlockBytes + kTailBytes;

 private:
  template <class T>
  static T* room(std::vector<T>& list, std::size_t n) {
    if (list.size() < n) [[unlikely]]
      list.resize(n);
    return list.data();
  }

  std::vector<char> blocks_;
  std::vector<Packer> packers_;
  std::vector<Placer> placers_;
  std::vector<std::max_align_t> states_;
  std::vector<View> parts_;
};

/// The lanes after the last `rest` elements, which end at `end`, compute too: the last one again,
/// since nothing in it is more special than it is.
inline void fill_lanes(char* end, std::int64_t rest, std::int64_t item_size) {
  repeat_element(end, kLoopLanes - rest, item_size, end - item_size);
}

/// Copies n < kLoopLanes elements, and fills the other lanes so.
inline void copy_lanes(char* to, const char* from, std::int64_t n, std::int64_t item_size) {
  visit_bytes(item_size, [&]<class T>(T last) {
    std::memcpy(&last, from + (n - 1) * item_size, sizeof(last));
    T* const lanes = reinterpret_cast<T*>(to);
    std::fill_n(lanes, kLoopLanes, last);
    for (std::int64_t i = 0; i < n - 1; ++i)
      std::memcpy(lanes + i, from + i * item_size, sizeof(last));
  });
}

}  // namespace thunkvm
