// rows_in_place.h: rows of an input that is reduced as it is, read where they lie.
#pragma once

#include "ops/kernels/nest_scratch.h"
#include "ops/kernels/reduction_kernels.h"
#include "ops/kernels/resolved_nest.h"

#include <algorithm>
#include <cstdint>

namespace thunkvm {

/// Rows of an iteration space, of `n_inner` elements, as an input has them.
class RowsInPlace {
 public:
  /// True if there are rows long enough for this to be worth it, or copies of whole ones.
  static bool can_read(const OperandMap& map, std::int64_t item_size, std::int64_t n_inner) {
    if (map.kind == OperandMap::Kind::Identity) return true;
    if (map.kind != OperandMap::Kind::Strided) return false;
    if (n_inner == 1 && map.rows_at_once > 1) return true;
    const std::int64_t length = map.axes.back().length;
    return map.axes.back().stride == item_size && length % n_inner == 0 &&
           length >= (n_inner == 1 ? 2 * kReductionBlock : kLongRow);
  }

  /// `gathering`: its position, from which it goes on, if it is not an identity. `block` has room
  /// for kReductionBlock elements.
  RowsInPlace(const OperandMap& map, const char* data, std::int64_t item_size, std::int64_t n_inner,
              Gathering* gathering, char* block)
      : map_(map),
        data_(data),
        item_size_(item_size),
        n_inner_(n_inner),
        gathering_(gathering),
        block_(block) {}

  /// Calls `f(first, pitch, n)` for pieces of `rows` rows, each n of them, `pitch` bytes apart.
  /// Element `start` of the space is in the first one, `inner` elements behind its begin. Rows of
  /// one element come in multiples of kReductionBlock, but for the last.
  template <class F>
  void each_piece(std::int64_t start, std::int64_t inner, std::int64_t rows, F&& f) const {
    if (map_.kind == OperandMap::Kind::Identity)
      f(data_ + start * item_size_, n_inner_ * item_size_, rows);
    else if (n_inner_ == 1)
      each_run(start, rows, f);
    else
      each_rows(start, inner, rows, f);
  }

 private:
  template <class F>
  void each_run(std::int64_t start, std::int64_t left, F&& f) const {
    auto& [at, part, tile, next] = *gathering_;
    go_to(start);
    const bool is_copied = map_.rows_at_once > 1;
    for (std::int64_t n; left > 0; left -= n, next += n) {
      const std::int64_t there = is_copied ? tile.fill(data_, item_size_, at) : at.row();
      n = there >= left ? left : there / kReductionBlock * kReductionBlock;
      if (n == 0) {  // a block that goes on behind them
        n = std::min<std::int64_t>(left, kReductionBlock);
        tile.gather(block_, data_, item_size_, at, n);
        f(block_, item_size_, n);
      } else if (is_copied) {
        f(tile.next(), item_size_, n);
        tile.skip(item_size_, at, n);
      } else {
        f(data_ + at.distance(), item_size_, n);
        at.advance(n);
      }
    }
  }
  template <class F>
  void each_rows(std::int64_t start, std::int64_t inner, std::int64_t left, F&& f) const {
    const bool are_axis = map_.axes.back().length == n_inner_;
    const std::int64_t pitch =
        are_axis ? map_.axes[map_.axes.size() - 2].stride : n_inner_ * item_size_;
    const Position& at = gathering_->value;
    for (std::int64_t n; left > 0; left -= n, start += n * n_inner_) {
      go_to(start);
      n = std::min(left, are_axis ? at.rows() : (at.row() + inner) / n_inner_);
      f(data_ + at.distance(), pitch, n);
    }
  }
  void go_to(std::int64_t start) const {
    if (start == gathering_->next) return;
    gathering_->value.begin(map_.axes, start);
    gathering_->tile.begin(map_.rows_at_once);
    gathering_->next = start;
  }

  const OperandMap& map_;
  const char* const data_;
  const std::int64_t item_size_, n_inner_;
  Gathering* const gathering_;
  char* const block_;
};

}  // namespace thunkvm
