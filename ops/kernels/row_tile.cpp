#include "ops/kernels/row_tile.h"

#include "ops/kernels/limits.h"

#include <algorithm>
#include <cstring>

namespace thunkvm {
namespace {

/// Copies rows whose columns are `stride` bytes apart, each dense, so that the rows are.
template <class T>
void copy_columns(T* to, const char* columns, std::int64_t stride, std::int64_t rows,
                  std::int64_t length) {
  for (std::int64_t k = 0; k < length; k += kTileColumns) {
    const std::int64_t n = std::min(kTileColumns, length - k);
    const char* const x = columns + k * stride;
    for (std::int64_t j = n; j < std::min(2 * kTileColumns, length - k); ++j) {
      __builtin_prefetch(x + j * stride);
      __builtin_prefetch(x + j * stride + (rows - 1) * static_cast<std::int64_t>(sizeof(T)));
    }
    for (std::int64_t i = 0; i < rows; ++i) {
      T* const row = to + i * length + k;
      const char* const first = x + i * static_cast<std::int64_t>(sizeof(T));
      if (n == kTileColumns) {
#pragma GCC unroll 8
        for (std::int64_t j = 0; j < kTileColumns; ++j)
          row[j] = *reinterpret_cast<const T*>(first + j * stride);
      } else {
        for (std::int64_t j = 0; j < n; ++j)
          row[j] = *reinterpret_cast<const T*>(first + j * stride);
      }
    }
  }
}

}  // namespace

std::int64_t RowTile::rows_at_once(NestAxes axes, std::int64_t item_size) {
  // A row of one element again and again is written faster than it is copied.
  if (axes.size() < 2 || axes[axes.size() - 2].stride != item_size || axes.back().stride == 0)
    return 1;
  const std::int64_t length = axes.back().length, rows = kMostTileElements / length;
  return rows < kLeastTileRows ? 1 : std::min(rows, std::max(kTileRows, kTileElements / length));
}

void RowTile::gather(char* to, const char* data, std::int64_t item_size, Position& at,
                     std::int64_t n) {
  for (std::int64_t run; n > 0; n -= run, to += run * item_size) {
    const std::int64_t copied = fill(data, item_size, at);
    run = std::min(n, copied > 0 ? copied : at.row());
    if (copied == 0) {
      thunkvm::gather(to, data, item_size, at, run);
    } else {
      std::memcpy(to, next_, static_cast<std::size_t>(run * item_size));
      skip(item_size, at, run);
    }
  }
}

void RowTile::copy_rows(const char* data, std::int64_t item_size, const Position& at) {
  const std::int64_t rows = std::min(rows_at_once_, at.rows()), length = at.row();
  const std::int64_t bytes = rows * length * item_size;
  if (capacity_ < bytes) {
    memory_ = std::make_unique_for_overwrite<char[]>(static_cast<std::size_t>(bytes));
    capacity_ = bytes;
  }
  visit_bytes(item_size, [&]<class T>(T) {
    copy_columns(reinterpret_cast<T*>(memory_.get()), data + at.distance(), at.stride(), rows,
                 length);
  });
  next_ = memory_.get();
  left_ = rows * length;
}

}  // namespace thunkvm
