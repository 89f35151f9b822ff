// gathered_blocks.h: blocks of operands with elements that do not lie side by side, in the order of
// a nest.
#pragma once

#include "thunks/array.h"
#include "thunks/visit_bytes.h"

#include <cstdint>
#include <span>

namespace thunkvm {

/// Writes `n` elements of so many bytes that are all like the one at `element`.
void repeat_element(char* to, std::int64_t n, std::int64_t item_size, const char* element);

struct Axis {
  std::int64_t length, stride;
};
/// From the outermost to the innermost; none: of one element.
using NestAxes = std::span<const Axis>;

/// Writes the axes of an operand, broadcast to `shape`, to `axes`, which has room for as many as
/// the shape has; returns how many they are. Axes of length 1 are left out, and neighbours that
/// are one stretch of memory are merged. Strides are those that are given; 0 where it is broadcast.
int broadcast_axes(Dims lengths, const std::int64_t* strides, Dims shape, Axis* axes);

/// One of the elements along some axes. It goes forward only.
class Position {
 public:
  /// Goes to an element. The axes stay where they are meanwhile.
  void begin(NestAxes axes, std::int64_t element = 0);

  /// The distance from the first one.
  std::int64_t distance() const { return distance_; }
  /// How many there are from here on: all, and those along the innermost axis.
  std::int64_t left() const { return left_; }
  std::int64_t row() const { return axes_.back().length - index_[axes_.size() - 1]; }
  std::int64_t stride() const { return axes_.back().stride; }
  bool begins_row() const { return index_[axes_.size() - 1] == 0; }
  /// The number of elements after which the same ones come again, if there is one row alone; else
  /// 0.
  std::int64_t period() const { return period_; }
  /// How many rows follow each other along the axis next to the innermost one, from this one on.
  std::int64_t rows() const {
    const std::size_t n = axes_.size();
    return n < 2 ? 1 : axes_[n - 2].length - index_[n - 2];
  }
  /// Goes on by so many, to the end of the row at most.
  void advance(std::int64_t n) { advance_along(axes_.size() - 1, n, n); }
  /// Goes on by so many of these rows, of which one begins here.
  void advance_rows(std::int64_t n) { advance_along(axes_.size() - 2, n, n * axes_.back().length); }
  /// Goes on by so many, over rows.
  void skip(std::int64_t n) { begin(axes_, size_ - left_ + n); }

 private:
  static constexpr Axis kOne[] = {{1, 0}};
  void advance_along(std::size_t axis, std::int64_t n, std::int64_t elements) {
    left_ -= elements;
    distance_ += n * axes_[axis].stride;
    index_[axis] += n;
    for (; axis > 0 && index_[axis] == axes_[axis].length; --axis) {
      index_[axis] = 0;
      distance_ += axes_[axis - 1].stride - axes_[axis].stride * axes_[axis].length;
      ++index_[axis - 1];
    }
  }

  NestAxes axes_;
  std::int64_t distance_ = 0, left_ = 0, size_ = 0, period_ = 0;
  std::int64_t index_[kMaxDims];
};

/// The number of elements in front of the place that is `distance` behind the first one, along axes
/// with positive strides, the outer ones larger.
std::int64_t elements_before(NestAxes axes, std::int64_t distance);

/// Copies the next `n` elements of those that lie at `data`, with strides in bytes, to `to`. There
/// have to be that many.
void gather(char* to, const char* data, std::int64_t item_size, Position& at, std::int64_t n);

/// The same of an array that is `fill` everywhere but in a part, which has the values: its elements
/// from `first` on. `part`: its next element, with strides in elements of the array.
void gather_padded(char* to, const char* data, std::int64_t item_size, Position& value,
                   std::uint64_t fill, Position& part, std::int64_t first, std::int64_t n);

}  // namespace thunkvm
