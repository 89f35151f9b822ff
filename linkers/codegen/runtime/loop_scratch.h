// loop_scratch.h: what the loops of one thread compute in.
#pragma once

#include "linkers/codegen/runtime/gathered_blocks.h"
#include "linkers/codegen/runtime/loop_nest.h"
#include "ops/kernels/view.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <vector>

namespace thunkvm {

/// Where the gathering of an input has come to: in its values, and in its part of what it pads.
struct Gathering {
  Position value, part;
};

class LoopScratch {
 public:
  static LoopScratch& of_thread() {
    static thread_local LoopScratch scratch;
    return scratch;
  }
  /// Memory for this many operands, each of kBlockBytes, and for a tail of each.
  char* blocks(std::size_t n_operands) { return room(blocks_, n_operands * kOperandBytes); }
  Gathering* gatherings(std::size_t n) { return room(gatherings_, n); }
  View* slices(std::size_t n) { return room(slices_, n); }
  /// Aligned to 16 bytes.
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
  std::vector<std::max_align_t> states_;
  std::vector<Gathering> gatherings_;
  std::vector<View> slices_;
};

}  // namespace thunkvm
