// index_cursors.h: the elements of operands that do not lie side by side, block by block in the
// order of a loop.
#pragma once

#include "thunks/array.h"

#include <cstdint>
#include <span>

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

struct Axis {
  std::int64_t length, stride;
};
/// From the outermost to the innermost.
using Axes = std::span<const Axis>;

/// Writes the axes of an operand, broadcast to `shape`, to `axes`, which has room for as many as
/// the shape has; returns how many they are. Axes of length 1 are left out, and neighbours that
/// are one stretch of memory are merged. Strides are those that are given; 0 where it is broadcast.
int broadcast_axes(Dims lengths, const std::int64_t* strides, Dims shape, Axis* axes);

/// Walks over the elements of one operand. It goes forward only, each `next` from where the last
/// one ended.
class ElementCursor {
 public:
  /// Begins at element `start`. Strides are in bytes. The axes stay where they are meanwhile.
  void begin(const char* data, std::int64_t item_size, Axes axes, std::int64_t start);

  /// Copies the next `n` elements to `to`. There have to be that many.
  void next(char* to, std::int64_t n);

 private:
  void copy_run(char* to, std::int64_t n, std::int64_t stride) const;

  std::int64_t item_size_ = 0;
  Axes axes_;
  const char* at_ = nullptr;
  std::int64_t index_[kMaxDims];
};

/// Walks over an array that is one number everywhere but in a part of it.
class PadCursor {
 public:
  /// Begins at element `start` of the array. Returns how many elements of the part are before it:
  /// `values` gives those behind it, in order. `part`: its axes, with strides in elements of the
  /// array, all of them positive, the outer ones larger; its first element is `offset` elements
  /// from the array's. They stay where they are while the cursor is used.
  std::int64_t begin(ElementCursor* values, Axes part, std::int64_t offset, std::int64_t item_size,
                     std::uint64_t fill, std::int64_t start);

  /// Writes the next `n` elements to `to`.
  void next(char* to, std::int64_t n);

 private:
  std::int64_t count_before(std::int64_t distance) const;
  void advance(std::int64_t n);

  ElementCursor* values_ = nullptr;
  Axes part_;
  std::int64_t item_size_ = 0;
  std::uint64_t fill_ = 0;
  std::int64_t begin_ = 0;  ///< elements before the next block
  std::int64_t at_ = 0;     ///< elements before the part's next one
  std::int64_t left_ = 0;   ///< elements of the part
  std::int64_t index_[kMaxDims];
};

}  // namespace thunkvm
