// packing.h: the elements of a strided operand, block by block in C order of a shape that it is
// broadcast to.
#pragma once

#include "thunks/array.h"

#include <cstdint>

namespace thunkvm {

/// Walks over one operand. A cursor: it goes forward only, each `next` where the last one ended.
class Packer {
 public:
  Packer() = default;
  /// `shape` is what `array` is broadcast to; the cursor is at its element `start`.
  Packer(const ArrayBody& array, Dims shape, std::int64_t start);

  /// Copies the next `n` elements to `to`. There have to be that many.
  void next(char* to, std::int64_t n);

 private:
  void copy_run(char* to, std::int64_t n) const;

  int item_size_ = 0;
  int n_axes_ = 0;  ///< merged where they can be; the innermost last
  const char* at_ = nullptr;
  std::int64_t lengths_[kMaxDims];
  std::int64_t strides_[kMaxDims];
  std::int64_t index_[kMaxDims];
};

}  // namespace thunkvm
