// row_tile.h: rows of an operand that lie across its memory, gathered several at once.
#pragma once

#include "ops/kernels/gathered_blocks.h"

#include <algorithm>
#include <cstdint>
#include <memory>

namespace thunkvm {

/// If the elements of a row are far from each other, and beside each of them is that of the next
/// row (Fortran order), rows are copied together, so that a line of the cache is read once. Blocks
/// are cut out of the copy.
///
///   const std::int64_t rows = RowTile::rows_at_once(axes, item_size);
///   at.begin(axes);  tile.begin(rows);
///   tile.gather(to, data, item_size, at, n);   // as often as there are blocks
class RowTile {
 public:
  /// How many, for an operand with these axes, strides in bytes. 1: rows are gathered one by one.
  static std::int64_t rows_at_once(NestAxes axes, std::int64_t item_size);

  /// Forgets what it has. So many rows are copied at once from now on.
  void begin(std::int64_t rows_at_once) {
    rows_at_once_ = rows_at_once;
    left_ = 0;
  }
  /// The number of elements from `at`, its position, that lie at `next()`. Copies rows if it has
  /// none left and a row begins.
  std::int64_t fill(const char* data, std::int64_t item_size, const Position& at) {
    if (left_ == 0 && rows_at_once_ > 1 && at.begins_row()) copy_rows(data, item_size, at);
    return left_;
  }
  const char* next() const { return next_; }
  /// Leaves n of these behind.
  void skip(std::int64_t item_size, Position& at, std::int64_t n) {
    next_ += n * item_size;
    left_ -= n;
    while (n > 0) {
      const std::int64_t in_row = std::min(n, at.row());
      if (at.begins_row() && n > in_row) {
        at.advance_rows(n / in_row);
        n %= in_row;
      } else {
        at.advance(in_row);
        n -= in_row;
      }
    }
  }
  /// As gathered_blocks.h has it.
  void gather(char* to, const char* data, std::int64_t item_size, Position& at, std::int64_t n);

 private:
  void copy_rows(const char* data, std::int64_t item_size, const Position& at);

  std::int64_t rows_at_once_ = 1;
  std::int64_t left_ = 0;  ///< elements that are copied, and in no block
  const char* next_ = nullptr;
  std::unique_ptr<char[]> memory_;
  std::int64_t capacity_ = 0;  ///< in bytes
};

}  // namespace thunkvm
