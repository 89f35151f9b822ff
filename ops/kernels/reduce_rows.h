// reduce_rows.h: the reductions of sequences side by side, row by row.
#pragma once

#include "ops/kernels/reduce.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace thunkvm {

/// The reduced blocks of sequences side by side, merged as the rule says: partial results
/// in memory of the caller, rows of `width`.
template <class F>
class RowTree {
 public:
  using Acc = typename F::Acc;

  /// How many rows the memory has to have for sequences of `count` elements.
  static std::size_t rows(std::int64_t count) {
    return F::kTree ? std::bit_width(static_cast<std::uint64_t>(count / kReductionBlock + 1)) : 1;
  }

  RowTree(Acc* partial, int width) : partial_(partial), width_(width) {
    std::fill_n(partial_, width_, F::identity());
  }

  /// Adds the reduction of one more block, and overwrites that.
  void add(Acc* block) {
    int level = 0;
    for (; F::kTree ? ((blocks_ >> level) & 1u) != 0 : level == 0; ++level)
      merge(block, row(level));
    std::copy_n(block, width_, row(F::kTree ? level : 0));
    ++blocks_;
  }
  void total(Acc* totals) const {
    bool first = true;
    for (int level = 0; F::kTree && (blocks_ >> level) != 0; ++level) {
      if (((blocks_ >> level) & 1u) == 0) continue;
      if (first)
        std::copy_n(row(level), width_, totals);
      else
        merge(totals, row(level));
      first = false;
    }
    if (first) std::copy_n(row(0), width_, totals);
  }
  /// The first row: of a reduction that is strictly in order, its state.
  Acc* first() { return partial_; }

 private:
  Acc* row(int level) const { return partial_ + level * width_; }
  void merge(Acc* into, const Acc* left) const {
    if constexpr (VectorReducer<F>) {
      reduction_kernels<typename F::In>(F::kStep).merge(into, left, width_);
    } else {
      for (int w = 0; w < width_; ++w) into[w] = F::merge(left[w], into[w]);
    }
  }

  Acc* partial_;
  int width_;
  std::uint64_t blocks_ = 0;
};

/// Reduces `width` sequences side by side that come row by row: their first elements, then their
/// second ones, and so on. Lives in memory of the caller, with its accumulators behind it.
template <class F>
class alignas(16) RowAccumulator {
 public:
  using In = typename F::In;
  using Acc = typename F::Acc;

  static std::size_t bytes(int width, std::int64_t count) {
    return sizeof(RowAccumulator) +
           (F::kLanes + RowTree<F>::rows(count)) * static_cast<std::size_t>(width) * sizeof(Acc);
  }

  explicit RowAccumulator(int width) : width_(width), tree_(lane(F::kLanes), width) {}
  RowAccumulator(const RowAccumulator&) = delete;
  RowAccumulator& operator=(const RowAccumulator&) = delete;

  /// Adds n rows that are `pitch` bytes apart.
  void add(const char* rows, std::int64_t pitch, std::int64_t n) {
    if constexpr (F::kLanes == 1) {
      for (; n > 0; --n, rows += pitch) step(tree_.first(), rows, width_);
    } else {
      while (n > 0) {
        const int fitting = static_cast<int>(std::min<std::int64_t>(n, kReductionBlock - n_));
        add_to_block(rows, pitch, fitting);
        rows += fitting * pitch;
        n -= fitting;
        n_ += fitting;
        if (n_ == kReductionBlock) end_block();
      }
    }
  }
  /// Calls `out(i, acc)` for each sequence.
  template <class Out>
  void total(Out&& out) {
    if (n_ > 0) end_block();
    tree_.total(lane(0));
    for (int w = 0; w < width_; ++w) out(w, lane(0)[w]);
  }

 private:
  Acc* lane(int i) { return reinterpret_cast<Acc*>(this + 1) + i * width_; }
  void add_to_block(const char* rows, std::int64_t pitch, int n) {
    const bool follow = pitch == width_ * static_cast<std::int64_t>(sizeof(In));
    if constexpr (VectorReducer<F>) {
      if (width_ >= F::kLanes || !follow)
        return reduction_kernels<In>(F::kStep).add_rows(lane(0), n_, rows, pitch, n, width_);
    }
    for (int k = n_; k < std::min(n_ + n, F::kLanes); ++k)
      std::fill_n(lane(k), width_, F::identity());
    // As many rows as there are accumulators lie in memory as these do.
    for (int r = 0, at_once; r < n; r += at_once) {
      const int to = (n_ + r) % F::kLanes;
      at_once = follow && to == 0 && n - r >= F::kLanes ? F::kLanes : 1;
      step(lane(to), rows + r * pitch, at_once * width_);
    }
  }
  static void step(Acc* to, const char* elements, int n) {
    const In* const x = reinterpret_cast<const In*>(elements);
    if constexpr (VectorReducer<F>) {
      reduction_kernels<In>(F::kStep).step(to, x, n);
    } else {
      for (int i = 0; i < n; ++i) to[i] = F::step(to[i], x[i]);
    }
  }
  void end_block() {
    int used = std::min(n_, F::kLanes);
    if constexpr (VectorReducer<F>) {
      reduction_kernels<In>(F::kStep).merge_rows(lane(0), used, width_);
    } else {
      // Accumulators that got nothing would change nothing.
      for (int half = F::kLanes / 2; half > 0; half /= 2) {
        if (used <= half) continue;
        merge(lane(0), lane(half), (used - half) * width_);
        used = half;
      }
    }
    tree_.add(lane(0));
    n_ = 0;
  }
  static void merge(Acc* into, const Acc* right, int n) {
    for (int i = 0; i < n; ++i) into[i] = F::merge(into[i], right[i]);
  }

  int width_;
  int n_ = 0;  // rows of the block
  RowTree<F> tree_;
};

}  // namespace thunkvm
