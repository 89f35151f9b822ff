// rows_in_place.h: rows of an input that is reduced as it is, where they lie in memory.
#pragma once

#include "ops/kernels/loop_instance.h"
#include "ops/kernels/reduction_loops.h"

#include <algorithm>
#include <cstdint>

namespace thunkvm {

/// Rows of an iteration space, of `n_inner` elements, as an input has them.
class RowsInPlace {
 public:
  /// True if there are long enough ones for this to be worth it.
  static bool can_read(const OperandMap& map, std::int64_t item_size, std::int64_t n_inner) {
    if (map.kind == OperandMap::Kind::Identity) return true;
    if (map.kind != OperandMap::Kind::Strided || map.axes.back().stride != item_size) return false;
    const std::int64_t length = map.axes.back().length;
    return length >= 2 * kReductionBlock || (n_inner > 1 && n_inner >= kLongRow)
               ? length % n_inner == 0
               : false;
  }

  RowsInPlace(const OperandMap& map, const char* data, std::int64_t item_size, std::int64_t n_inner,
              char* block)
      : map_(map), data_(data), item_size_(item_size), n_inner_(n_inner), block_(block) {}

  /// Calls `f(first, pitch, n)` for pieces of `rows` rows, each n of them, `pitch` bytes apart.
  /// Element `start` of the space is in the first one, `inner` elements behind its begin. Rows of
  /// one element come in multiples of kReductionBlock, but for the last.
  template <class F>
  void each_piece(std::int64_t start, std::int64_t inner, std::int64_t rows, F&& f) {
    if (map_.kind == OperandMap::Kind::Identity)
      f(data_ + start * item_size_, n_inner_ * item_size_, rows);
    else if (n_inner_ == 1)
      each_run(start, rows, f);
    else
      each_rows(start, inner, rows, f);
  }

 private:
  template <class F>
  void each_run(std::int64_t start, std::int64_t left, F&& f) {
    go_to(start);
    next_ = start + left;
    while (left > 0) {
      const std::int64_t in_row = at_.row();
      const std::int64_t n = in_row >= left ? left : in_row / kReductionBlock * kReductionBlock;
      if (n > 0) {
        f(data_ + at_.distance(), item_size_, n);
        at_.advance(n);
        left -= n;
      } else {
        const std::int64_t across = std::min<std::int64_t>(left, kReductionBlock);
        gather(block_, data_, item_size_, at_, across);
        f(block_, item_size_, across);
        left -= across;
      }
    }
  }
  template <class F>
  void each_rows(std::int64_t start, std::int64_t inner, std::int64_t left, F&& f) {
    const bool are_axis = map_.axes.back().length == n_inner_;
    const std::int64_t pitch =
        are_axis ? map_.axes[map_.axes.size() - 2].stride : n_inner_ * item_size_;
    for (std::int64_t n; left > 0; left -= n, start += n * n_inner_) {
      go_to(start);
      n = std::min(left, are_axis ? at_.rows() : (at_.row() + inner) / n_inner_);
      f(data_ + at_.distance(), pitch, n);
    }
  }
  void go_to(std::int64_t start) {
    if (start != next_) at_.begin(map_.axes, start);
    next_ = start;
  }

  const OperandMap& map_;
  const char* const data_;
  const std::int64_t item_size_, n_inner_;
  char* const block_;
  Position at_;
  std::int64_t next_ = -1;  ///< the element that it is at
};

}  // namespace thunkvm
