// reduce_rows.h: the reductions of sequences side by side, row by row, or of one alone.
#pragma once

#include "ops/kernels/reduce.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace thunkvm {

/// The width of one sequence alone, which the compiler knows. That of several is an int.
struct WidthOne {
  WidthOne(int) {}  // NOLINT: as an int is made of one
  constexpr operator int() const { return 1; }
};

/// The reduced blocks of sequences side by side, merged as the rule says: a binary counter of
/// blocks, with partial results in memory of the caller, rows of `width`.
template <class F, class Width>
class BlockCounter {
 public:
  using Acc = typename F::Acc;

  /// How many rows the memory has to have for sequences of `count` elements.
  static constexpr std::size_t rows(std::int64_t count) {
    return F::kTree ? std::bit_width(static_cast<std::uint64_t>(count / kReductionBlock + 1)) : 1;
  }

  BlockCounter(Acc* partial, Width width) : partial_(partial), width_(width) {
    std::fill_n(partial_, int{width_}, F::identity());
  }

  /// Adds the reduction of 2^level blocks, and overwrites that.
  void add(Acc* blocks, int level = 0) {
    const std::uint64_t before = blocks_;
    blocks_ += std::uint64_t{1} << level;
    if constexpr (F::kTree)
      for (; ((before >> level) & 1u) != 0; ++level) merge(blocks, row(level));
    else
      merge(blocks, row(0));
    std::copy_n(blocks, int{width_}, row(level));
  }
  /// As if the blocks of `next`, which it overwrites, had been added here: a power of two of them
  /// or less, of which this has a multiple.
  void append(BlockCounter& next) {
    if constexpr (!F::kTree) {
      add(next.row(0));
    } else {
      for (int level = std::bit_width(next.blocks_); level-- > 0;)
        if (((next.blocks_ >> level) & 1u) != 0) add(next.row(level), level);
    }
  }
  /// Overwrites the partial results.
  const Acc* total() {
    if (!F::kTree || blocks_ == 0) return row(0);
    int level = std::countr_zero(blocks_);
    Acc* const totals = row(level);
    while ((blocks_ >> ++level) != 0)
      if (((blocks_ >> level) & 1u) != 0) merge(totals, row(level));
    return totals;
  }
  /// The first row: of a reduction that is strictly in order, its state.
  Acc* first() { return partial_; }

 private:
  Acc* row(int level) { return partial_ + level * width_; }
  void merge(Acc* into, const Acc* left) const {
    if constexpr (VectorReducer<F> && std::is_same_v<Width, int>) {
      reduction_kernels<typename F::In>(F::kStep).merge(into, left, width_);
    } else {
      for (int w = 0; w < width_; ++w) into[w] = F::merge(left[w], into[w]);
    }
  }

  Acc* partial_;
  [[no_unique_address]] Width width_;
  std::uint64_t blocks_ = 0;
};

/// The reduction of n neighbours.
template <class F>
typename F::Acc reduce_sequence(const typename F::In* x, std::int64_t n) {
  if (F::kLanes == 1 || n <= kReductionBlock) return reduce_block<F>(x, n);
  using Blocks = BlockCounter<F, WidthOne>;
  typename F::Acc partial[Blocks::rows(kMostNestElements)], block;
  Blocks blocks(partial, 1);
  for (; n > 0; x += kReductionBlock, n -= kReductionBlock) {
    block = reduce_block<F>(x, std::min<std::int64_t>(n, kReductionBlock));
    blocks.add(&block);
  }
  return *blocks.total();
}

/// Reduces `width` sequences side by side that come row by row: their first elements, then their
/// second ones, and so on. Lives in memory of the caller. Behind it are the accumulators of a
/// block, of one sequence alone its elements instead, and then the blocks.
template <class F, class Width>
class alignas(16) RowAccumulator {
 public:
  using In = typename F::In;
  using Acc = typename F::Acc;

  static std::size_t bytes(int width, std::int64_t count) {
    return sizeof(RowAccumulator) + block_bytes(width) +
           Blocks::rows(count) * static_cast<std::size_t>(width) * sizeof(Acc);
  }

  explicit RowAccumulator(int width)
      : width_(width),
        blocks_(reinterpret_cast<Acc*>(reinterpret_cast<char*>(this + 1) + block_bytes(width)),
                width_) {}
  RowAccumulator(const RowAccumulator&) = delete;
  RowAccumulator& operator=(const RowAccumulator&) = delete;

  /// Adds n rows that are `pitch` bytes apart.
  void add(const char* rows, std::int64_t pitch, std::int64_t n) {
    if constexpr (F::kLanes == 1) {
      for (; n > 0; --n, rows += pitch) step(blocks_.first(), rows, width_);
    } else {
      while (n > 0) {
        const int fitting = static_cast<int>(std::min<std::int64_t>(n, kReductionBlock - n_));
        if constexpr (kIsAlone)
          hold(rows, pitch, fitting);
        else
          add_to_block(rows, pitch, fitting);
        rows += fitting * pitch;
        n -= fitting;
        if (n_ == kReductionBlock) end_block();
      }
    }
  }
  /// As if the rows of `next`, which it overwrites, had been added here: a power of two of blocks
  /// or less, of which this has a multiple.
  void append(RowAccumulator& next) {
    next.end_block();
    blocks_.append(next.blocks_);
  }
  /// Calls `out(i, acc)` for each sequence.
  template <class Out>
  void total(Out&& out) {
    end_block();
    const Acc* const totals = blocks_.total();
    for (int w = 0; w < width_; ++w) out(w, totals[w]);
  }

 private:
  using Blocks = BlockCounter<F, Width>;
  static constexpr bool kIsAlone = std::is_same_v<Width, WidthOne>;

  static std::size_t block_bytes(int width) {
    return kIsAlone ? kReductionBlock * sizeof(In)
                    : F::kLanes * static_cast<std::size_t>(width) * sizeof(Acc);
  }
  In* held() { return reinterpret_cast<In*>(this + 1); }
  Acc* lane(int i) { return reinterpret_cast<Acc*>(this + 1) + i * width_; }

  /// Elements that make a whole block are reduced where they lie.
  void hold(const char* elements, std::int64_t pitch, int n) {
    const bool follow = pitch == static_cast<std::int64_t>(sizeof(In));
    const In* const x = reinterpret_cast<const In*>(elements);
    if (follow && n == kReductionBlock) return add_block(x, kReductionBlock);
    if (follow)
      std::copy_n(x, n, held() + n_);
    else
      for (int i = 0; i < n; ++i)
        held()[n_ + i] = *reinterpret_cast<const In*>(elements + i * pitch);
    n_ += n;
  }
  void add_to_block(const char* rows, std::int64_t pitch, int n) {
    const int before = n_;
    n_ += n;
    const bool follow = pitch == width_ * static_cast<std::int64_t>(sizeof(In));
    if constexpr (VectorReducer<F>) {
      if (width_ >= F::kLanes || !follow)
        return reduction_kernels<In>(F::kStep).add_rows(lane(0), before, rows, pitch, n, width_);
    }
    for (int k = before; k < std::min(n_, F::kLanes); ++k)
      std::fill_n(lane(k), width_, F::identity());
    // Rows that follow each other lie in memory as the accumulators do.
    for (int r = 0, at_once; r < n; r += at_once) {
      const int to = (before + r) % F::kLanes;
      at_once = follow ? std::min(F::kLanes - to, n - r) : 1;
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
    const int n = std::exchange(n_, 0);
    if (n == 0) return;
    if constexpr (kIsAlone) {
      add_block(held(), n);
    } else {
      merge_lanes(std::min(n, F::kLanes));
      blocks_.add(lane(0));
    }
  }
  [[gnu::always_inline]] void add_block(const In* elements, int n) {
    Acc block = reduce_block<F>(elements, n);
    blocks_.add(&block);
  }
  /// Accumulators that got nothing would change nothing.
  void merge_lanes(int used) {
    if constexpr (VectorReducer<F>)
      return reduction_kernels<In>(F::kStep).merge_rows(lane(0), used, width_);
    for (int half = F::kLanes / 2; half > 0; half /= 2) {
      if (used <= half) continue;
      merge(lane(0), lane(half), (used - half) * width_);
      used = half;
    }
  }
  static void merge(Acc* into, const Acc* right, int n) {
    for (int i = 0; i < n; ++i) into[i] = F::merge(into[i], right[i]);
  }

  [[no_unique_address]] Width width_;
  int n_ = 0;  // rows of the block
  Blocks blocks_;
};

}  // namespace thunkvm
