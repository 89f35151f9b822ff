// reduce_rows.h: the reductions of sequences side by side, row by row.
#pragma once

#include "ops/kernels/reduce.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace thunkvm {

/// The reduced blocks of sequences side by side, merged as the rule says: partial results
/// in memory of the caller, rows of `width` that are `stride` elements apart.
template <class F>
class RowTree {
 public:
  using Acc = typename F::Acc;

  /// How many rows the memory has to have for sequences of `count` elements.
  static std::size_t rows(std::int64_t count) {
    return F::kTree ? std::bit_width(static_cast<std::uint64_t>(count / kReductionBlock + 1)) : 1;
  }

  RowTree(Acc* partial, int width, std::int64_t stride)
      : partial_(partial), width_(width), stride_(stride) {
    std::fill_n(partial_, width_, F::identity());
  }

  /// Adds what one more block was reduced to, which is overwritten.
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
  Acc* row(int level) const { return partial_ + level * stride_; }
  void merge(Acc* into, const Acc* left) const {
    if constexpr (VectorReducer<F>) {
      reduction_loops<typename F::In>(F::kStep).merge(into, left, width_);
    } else {
      for (int w = 0; w < width_; ++w) into[w] = F::merge(left[w], into[w]);
    }
  }

  Acc* partial_;
  int width_;
  std::int64_t stride_;
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

  explicit RowAccumulator(int width) : width_(width), tree_(lane(F::kLanes), width, width) {}
  RowAccumulator(const RowAccumulator&) = delete;
  RowAccumulator& operator=(const RowAccumulator&) = delete;

  /// Adds n rows that follow each other.
  void add(const In* x, std::int64_t n) {
    if constexpr (F::kLanes == 1) {
      for (; n > 0; --n, x += width_) step(tree_.first(), x, width_);
    } else {
      while (n > 0) {
        // As many rows as there are accumulators lie in memory as these do.
        const int rows = n_ % F::kLanes == 0 && n >= F::kLanes ? F::kLanes : 1;
        Acc* const to = lane(n_ % F::kLanes);
        if (n_ < F::kLanes) std::fill_n(to, rows * width_, F::identity());
        step(to, x, rows * width_);
        x += rows * width_;
        n -= rows;
        n_ += rows;
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
  static void step(Acc* to, const In* x, int n) {
    if constexpr (VectorReducer<F>) {
      reduction_loops<In>(F::kStep).step(to, x, n);
    } else {
      for (int i = 0; i < n; ++i) to[i] = F::step(to[i], x[i]);
    }
  }
  void end_block() {
    // Accumulators that got nothing would change nothing.
    int used = std::min(n_, F::kLanes);
    for (int half = F::kLanes / 2; half > 0; half /= 2) {
      if (used <= half) continue;
      merge(lane(0), lane(half), (used - half) * width_);
      used = half;
    }
    tree_.add(lane(0));
    n_ = 0;
  }
  static void merge(Acc* into, const Acc* right, int n) {
    if constexpr (VectorReducer<F>) {
      reduction_loops<In>(F::kStep).step(into, right, n);
    } else {
      for (int i = 0; i < n; ++i) into[i] = F::merge(into[i], right[i]);
    }
  }

  int width_;
  int n_ = 0;  // rows of the block
  RowTree<F> tree_;
};

}  // namespace thunkvm
