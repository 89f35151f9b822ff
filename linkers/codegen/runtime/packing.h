// packing.h: the elements of operands that do not lie side by side, block by block in C order of a
// shape.
#pragma once

#include "ops/kernels/view.h"

#include <cstdint>

namespace thunkvm {

/// Calls f with a zero of an unsigned type of so many bytes: 1, 2, 4 or 8.
template <class F>
void visit_bytes(std::int64_t item_size, F&& f) {
  switch (item_size) {
    case 1: return f(std::uint8_t{});
    case 2: return f(std::uint16_t{});
    case 4: return f(std::uint32_t{});
    default: return f(std::uint64_t{});
  }
}

/// Writes `n` elements of so many bytes that are all like the one at `element`.
void repeat_element(char* to, std::int64_t n, std::int64_t item_size, const char* element);

/// Walks over one operand, broadcast to a shape. A cursor: it goes forward only, each `next` where
/// the last one ended.
class Packer {
 public:
  /// Begins at element `start`. The operand has these lengths and byte strides, and is broadcast to
  /// `shape`.
  void begin(const char* data, int item_size, Dims lengths, const std::int64_t* strides, Dims shape,
             std::int64_t start);

  /// Copies the next `n` elements to `to`. There have to be that many.
  void next(char* to, std::int64_t n);

  /// True if all elements of the shape are one element of the operand.
  bool repeats_one() const { return n_axes_ == 1 && strides_[0] == 0; }

 private:
  void copy_run(char* to, std::int64_t n) const;

  int item_size_ = 0;
  int n_axes_ = 0;  ///< merged where they can be; the innermost last
  const char* at_ = nullptr;
  std::int64_t lengths_[kMaxDims];
  std::int64_t strides_[kMaxDims];
  std::int64_t index_[kMaxDims];
};

/// Walks over an array that is one number everywhere but in a part of it.
class Placer {
 public:
  /// Begins at element `start` of the array. Returns how many elements of the part are before it:
  /// `values` gives those behind it, in order. `place`: the part's lengths, and its strides in the
  /// array, in elements, none of them negative, the outer ones larger; its first element is
  /// `offset` elements from the array's. Both stay where they are while the cursor is used.
  std::int64_t begin(Packer* values, const View& place, std::int64_t offset, std::int64_t item_size,
                     std::uint64_t fill, std::int64_t start);

  /// Writes the next `n` elements to `to`.
  void next(char* to, std::int64_t n);

 private:
  std::int64_t count_before(std::int64_t distance) const;
  void advance(std::int64_t n);

  Packer* values_ = nullptr;
  const View* place_ = nullptr;
  std::int64_t item_size_ = 0;
  std::uint64_t fill_ = 0;
  std::int64_t begin_ = 0;  ///< elements before the next block
  std::int64_t at_ = 0;     ///< elements before the part's next one
  std::int64_t left_ = 0;   ///< elements of the part
  std::int64_t index_[kMaxDims];
};

}  // namespace thunkvm
