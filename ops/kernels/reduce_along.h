// reduce_along.h: the reduction of one sequence of elements that lie anywhere in an array.
#pragma once

#include "ops/kernels/limits.h"
#include "ops/kernels/reduce.h"
#include "ops/kernels/reduction_axes.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace thunkvm {

/// Cuts a sequence that comes in pieces into blocks.
template <class F>
class BlockCutter {
 public:
  using In = typename F::In;

  explicit BlockCutter(SequenceAccumulator<F>& accumulator) : accumulator_(accumulator) {}

  void add(const In* x, std::int64_t n) {
    if (n_held_ > 0) {
      const std::int64_t more = std::min<std::int64_t>(kReductionBlock - n_held_, n);
      std::copy_n(x, more, held_ + n_held_);
      n_held_ += static_cast<int>(more);
      if (n_held_ < kReductionBlock) return;
      accumulator_.add_block(held_, kReductionBlock);
      n_held_ = 0;
      x += more;
      n -= more;
    }
    for (; n >= kReductionBlock; x += kReductionBlock, n -= kReductionBlock)
      accumulator_.add_block(x, kReductionBlock);
    std::copy_n(x, n, held_);
    n_held_ = static_cast<int>(n);
  }
  void end() {
    if (n_held_ > 0) accumulator_.add_block(held_, n_held_);
  }

 private:
  SequenceAccumulator<F>& accumulator_;
  int n_held_ = 0;
  In held_[kReductionBlock];
};

/// Rows that are copied at once where those of the array lie across its memory (Fortran order), so
/// that a line of the cache is read once; fewer where they are long.
inline std::int64_t tile_rows(const ReductionAxes& reduced, std::int64_t item_size) {
  const std::size_t n_axes = reduced.lengths.size();
  if (reduced.count == 0 || n_axes < 2 || reduced.strides[n_axes - 2] != item_size) return 1;
  const std::int64_t rows = kTileElements / reduced.inner_length();
  return rows < kLeastTileRows ? 1 : std::min(rows, kTileRows);
}

/// Copies rows whose columns are `stride` bytes apart, each dense, so that the rows are.
template <class T>
void copy_tile(T* to, const char* columns, std::int64_t stride, std::int64_t rows,
               std::int64_t length) {
  constexpr std::int64_t kAtOnce = 8;  // as the loop below is unrolled
  for (std::int64_t k = 0; k < length; k += kAtOnce) {
    const std::int64_t n = std::min(kAtOnce, length - k);
    const char* const x = columns + k * stride;
    for (std::int64_t j = n; j < std::min(2 * kAtOnce, length - k); ++j) {
      __builtin_prefetch(x + j * stride);
      __builtin_prefetch(x + j * stride + (rows - 1) * static_cast<std::int64_t>(sizeof(T)));
    }
    for (std::int64_t i = 0; i < rows; ++i) {
      T* const row = to + i * length + k;
      const char* const first = x + i * static_cast<std::int64_t>(sizeof(T));
      if (n == kAtOnce) {
#pragma GCC unroll 8
        for (std::int64_t j = 0; j < kAtOnce; ++j)
          row[j] = *reinterpret_cast<const T*>(first + j * stride);
      } else {
        for (std::int64_t j = 0; j < n; ++j)
          row[j] = *reinterpret_cast<const T*>(first + j * stride);
      }
    }
  }
}

/// Adds the sequence that starts at `first`, a tile of rows at a time.
template <class F>
void add_tiles(const char* first, const ReductionAxes& reduced, std::int64_t rows,
               BlockCutter<F>& cut) {
  using In = typename F::In;
  const std::int64_t length = reduced.inner_length();
  const std::int64_t stride = reduced.inner_stride();
  ReductionAxes outer = reduced;  // starts of the tiles' axes
  const std::int64_t n_rows = outer.lengths[outer.lengths.size() - 2];
  outer.lengths.resize(outer.lengths.size() - 2);
  outer.strides.resize(outer.lengths.size());
  outer.lengths.push_back(1);
  outer.strides.push_back(0);
  const auto tile = std::make_unique_for_overwrite<In[]>(static_cast<std::size_t>(rows * length));
  outer.each_run([&](std::int64_t offset) {
    for (std::int64_t row = 0; row < n_rows; row += rows) {
      const std::int64_t n = std::min(rows, n_rows - row);
      copy_tile(tile.get(), first + offset + row * static_cast<std::int64_t>(sizeof(In)), stride, n,
                length);
      cut.add(tile.get(), n * length);
    }
  });
}

/// Reduces the sequence that starts at `first`, in its order.
template <class F>
typename F::Acc reduce_in_order(const char* first, const ReductionAxes& reduced) {
  using In = typename F::In;
  SequenceAccumulator<F> accumulator;
  const std::int64_t length = reduced.inner_length();
  const std::int64_t stride = reduced.inner_stride();
  const bool dense = stride == static_cast<std::int64_t>(sizeof(In)) || length == 1;
  if (dense && reduced.lengths.size() <= 1) {
    const In* x = reinterpret_cast<const In*>(first);
    for (std::int64_t i = 0; i < reduced.count; i += kReductionBlock)
      accumulator.add_block(
          x + i, static_cast<int>(std::min<std::int64_t>(kReductionBlock, reduced.count - i)));
    return accumulator.total();
  }
  BlockCutter<F> cut(accumulator);
  if (const std::int64_t rows = tile_rows(reduced, sizeof(In)); rows > 1) {
    add_tiles<F>(first, reduced, rows, cut);
  } else {
    In gathered[kReductionBlock];
    reduced.each_run([&](std::int64_t offset) {
      const char* x = first + offset;
      if (dense) {
        cut.add(reinterpret_cast<const In*>(x), length);
        return;
      }
      for (std::int64_t left = length; left > 0; left -= kReductionBlock) {
        const std::int64_t n = std::min<std::int64_t>(kReductionBlock, left);
        for (std::int64_t i = 0; i < n; ++i, x += stride)
          gathered[i] = *reinterpret_cast<const In*>(x);
        cut.add(gathered, n);
      }
    });
  }
  cut.end();
  return accumulator.total();
}

/// Reduces the sequence that starts at `first`. Where a reduction's result is the same in any
/// order, it is reduced in that of the memory.
template <class F>
typename F::Acc reduce_along(const char* first, const ReductionAxes& reduced) {
  if constexpr (requires(typename F::Acc acc) { F::same_in_any_order(acc); }) {
    if (reduced.lengths.size() > 1 &&
        !std::is_sorted(reduced.strides.rbegin(), reduced.strides.rend())) {
      const auto result = reduce_in_order<F>(first, reduced.in_memory_order());
      if (F::same_in_any_order(result)) return result;
    }
  }
  return reduce_in_order<F>(first, reduced);
}

}  // namespace thunkvm
