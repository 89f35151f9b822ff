// fold.h: the loops behind reductions: a sequence of elements folded into one, for every output.
//
// What an output gets depends on its elements and their order alone, never on strides, alignment or
// the vector width: element k of a sequence always goes to block k / 128 and there to accumulator k
// % 16; the accumulators of a block are merged as a tree, and the blocks as a binary counter
// (neighbours first, then pairs of neighbours ...). A sum of n floats is therefore off by at most
// (8 + 4 + log2(n / 128)) roundings, where NumPy's pairwise sum has (16 + 3 + log2(n / 128)). Two
// loops follow this order: one along a sequence, and one across the outputs, for sequences whose
// neighbours lie next to each other in memory.
//
// A fold F says what happens to the elements:
//   using In, Acc;  static constexpr int kLanes (16, or 1: strictly in order);  static constexpr
//   bool kTree (false: the blocks are merged in order); static Acc identity();
//   static Acc step(Acc, In);  static Acc merge(Acc, Acc);
// and, where floats are folded in their own type by one of the steps that vector units have loops
// for (fold_loops.h), `static constexpr FoldStep kStep`, which must do the same;
// and, where the order makes no difference to some results, `static bool same_in_any_order(Acc)`:
// whether this one is the same bits in any order.
#pragma once

#include "ops/fold_axes.h"
#include "ops/fold_loops.h"
#include "thunks/array.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <vector>

namespace thunkvm {

template <class F>
concept VectorFold = requires { F::kStep; } && std::is_floating_point_v<typename F::In> &&
                     std::is_same_v<typename F::In, typename F::Acc>;

/// One block of up to 128 neighbours, by the rule above.
template <class F>
typename F::Acc fold_block(const typename F::In* x, int n) {
  if constexpr (VectorFold<F>) {
    return fold_loops<typename F::In>(F::kStep).block(x, n);
  } else {
    typename F::Acc lanes[F::kLanes];
    for (auto& lane : lanes) lane = F::identity();
    int i = 0;
    for (; i + F::kLanes <= n; i += F::kLanes)
      for (int j = 0; j < F::kLanes; ++j) lanes[j] = F::step(lanes[j], x[i + j]);
    const int rest = std::min(n - i, F::kLanes - 1);
    for (int j = 0; j < rest; ++j) lanes[j] = F::step(lanes[j], x[i + j]);
    for (int half = F::kLanes / 2; half > 0; half /= 2)
      for (int j = 0; j < half; ++j) lanes[j] = F::merge(lanes[j], lanes[j + half]);
    return lanes[0];
  }
}

/// The fold of one sequence, fed block by block.
template <class F>
class Folding {
 public:
  using In = typename F::In;
  using Acc = typename F::Acc;

  void add_block(const In* x, int n) {
    if constexpr (F::kLanes == 1) {
      for (int i = 0; i < n; ++i) total_ = F::step(total_, x[i]);
    } else if constexpr (!F::kTree) {
      total_ = F::merge(total_, fold_block<F>(x, n));
    } else {
      add_partial(fold_block<F>(x, n), 0);
    }
  }
  /// As if the blocks of `next` had been added here: a power of two of them or less, of which this
  /// has a multiple.
  void append(const Folding& next) {
    if constexpr (!F::kTree) {
      total_ = F::merge(total_, next.total_);
    } else {
      for (int level = std::bit_width(next.blocks_); level-- > 0;)
        if (((next.blocks_ >> level) & 1u) != 0) add_partial(next.partial_[level], level);
    }
  }
  Acc total() const {
    if constexpr (!F::kTree) return total_;
    Acc value = F::identity();
    bool first = true;
    for (int level = 0; (blocks_ >> level) != 0; ++level) {
      if (((blocks_ >> level) & 1u) == 0) continue;
      value = first ? partial_[level] : F::merge(partial_[level], value);
      first = false;
    }
    return value;
  }

 private:
  /// Adds what 2^level blocks were folded to.
  void add_partial(Acc value, int level) {
    const std::uint64_t before = blocks_;
    blocks_ += std::uint64_t{1} << level;
    for (; ((before >> level) & 1u) != 0; ++level) value = F::merge(partial_[level], value);
    partial_[level] = value;
  }

  std::uint64_t blocks_ = 0;
  Acc total_ = F::identity();
  Acc partial_[F::kTree ? 48 : 1];
};

/// Cuts a sequence that comes in pieces into blocks.
template <class F>
class BlockCutter {
 public:
  using In = typename F::In;

  explicit BlockCutter(Folding<F>& folding) : folding_(folding) {}

  void add(const In* x, std::int64_t n) {
    if (n_held_ > 0) {
      const std::int64_t more = std::min<std::int64_t>(kFoldBlock - n_held_, n);
      std::copy_n(x, more, held_ + n_held_);
      n_held_ += static_cast<int>(more);
      if (n_held_ < kFoldBlock) return;
      folding_.add_block(held_, kFoldBlock);
      n_held_ = 0;
      x += more;
      n -= more;
    }
    for (; n >= kFoldBlock; x += kFoldBlock, n -= kFoldBlock) folding_.add_block(x, kFoldBlock);
    std::copy_n(x, n, held_);
    n_held_ = static_cast<int>(n);
  }
  void end() {
    if (n_held_ > 0) folding_.add_block(held_, n_held_);
  }

 private:
  Folding<F>& folding_;
  int n_held_ = 0;
  In held_[kFoldBlock];
};

/// Rows that are copied at once where those of the array lie across its memory (Fortran order), so
/// that a line of the cache is read once; fewer where they are long.
inline std::int64_t panel_rows(const FoldAxes& reduced, std::int64_t item_size) {
  constexpr std::int64_t kMostElements = 1 << 16;
  const std::size_t n_axes = reduced.lengths.size();
  if (reduced.count == 0 || n_axes < 2 || reduced.strides[n_axes - 2] != item_size) return 1;
  const std::int64_t rows = kMostElements / reduced.inner_length();
  return rows < 4 ? 1 : std::min<std::int64_t>(rows, 16);
}

/// Copies rows whose columns are `stride` bytes apart, each dense, so that the rows are.
template <class T>
void copy_panel(T* to, const char* columns, std::int64_t stride, std::int64_t rows,
                std::int64_t length) {
  constexpr std::int64_t kAtOnce = 8;
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

/// Adds the sequence that starts at `first`, a panel of rows at a time.
template <class F>
void add_panels(const char* first, const FoldAxes& reduced, std::int64_t rows,
                BlockCutter<F>& cut) {
  using In = typename F::In;
  const std::int64_t length = reduced.inner_length();
  const std::int64_t stride = reduced.inner_stride();
  FoldAxes outer = reduced;  // starts of the panels' axes
  const std::int64_t n_rows = outer.lengths[outer.lengths.size() - 2];
  outer.lengths.resize(outer.lengths.size() - 2);
  outer.strides.resize(outer.lengths.size());
  outer.lengths.push_back(1);
  outer.strides.push_back(0);
  const auto panel = std::make_unique_for_overwrite<In[]>(static_cast<std::size_t>(rows * length));
  outer.each_run([&](std::int64_t offset) {
    for (std::int64_t row = 0; row < n_rows; row += rows) {
      const std::int64_t n = std::min(rows, n_rows - row);
      copy_panel(panel.get(), first + offset + row * static_cast<std::int64_t>(sizeof(In)), stride,
                 n, length);
      cut.add(panel.get(), n * length);
    }
  });
}

/// Folds the sequence that starts at `first`, in its order.
template <class F>
typename F::Acc fold_in_order(const char* first, const FoldAxes& reduced) {
  using In = typename F::In;
  Folding<F> folding;
  const std::int64_t length = reduced.inner_length();
  const std::int64_t stride = reduced.inner_stride();
  const bool dense = stride == static_cast<std::int64_t>(sizeof(In)) || length == 1;
  if (dense && reduced.lengths.size() <= 1) {
    const In* x = reinterpret_cast<const In*>(first);
    for (std::int64_t i = 0; i < reduced.count; i += kFoldBlock)
      folding.add_block(x + i,
                        static_cast<int>(std::min<std::int64_t>(kFoldBlock, reduced.count - i)));
    return folding.total();
  }
  BlockCutter<F> cut(folding);
  if (const std::int64_t rows = panel_rows(reduced, sizeof(In)); rows > 1) {
    add_panels<F>(first, reduced, rows, cut);
  } else {
    In gathered[kFoldBlock];
    reduced.each_run([&](std::int64_t offset) {
      const char* x = first + offset;
      if (dense) {
        cut.add(reinterpret_cast<const In*>(x), length);
        return;
      }
      for (std::int64_t left = length; left > 0; left -= kFoldBlock) {
        const std::int64_t n = std::min<std::int64_t>(kFoldBlock, left);
        for (std::int64_t i = 0; i < n; ++i, x += stride)
          gathered[i] = *reinterpret_cast<const In*>(x);
        cut.add(gathered, n);
      }
    });
  }
  cut.end();
  return folding.total();
}

/// Folds the sequence that starts at `first`. Where a fold's result is the same in any order, it is
/// folded in that of the memory.
template <class F>
typename F::Acc fold_along(const char* first, const FoldAxes& reduced) {
  if constexpr (requires(typename F::Acc acc) { F::same_in_any_order(acc); }) {
    if (reduced.lengths.size() > 1 &&
        !std::is_sorted(reduced.strides.rbegin(), reduced.strides.rend())) {
      const auto result = fold_in_order<F>(first, reduced.in_memory_order());
      if (F::same_in_any_order(result)) return result;
    }
  }
  return fold_in_order<F>(first, reduced);
}

/// What blocks of sequences side by side were folded to, merged as the rule says: partial results
/// in memory of the caller, rows of `width` that are `stride` elements apart.
template <class F>
class RowTree {
 public:
  using Acc = typename F::Acc;

  /// How many rows the memory has to have for sequences of `count` elements.
  static std::size_t rows(std::int64_t count) {
    return F::kTree ? std::bit_width(static_cast<std::uint64_t>(count / kFoldBlock + 1)) : 1;
  }

  RowTree(Acc* partial, int width, std::int64_t stride)
      : partial_(partial), width_(width), stride_(stride) {
    std::fill_n(partial_, width_, F::identity());
  }

  /// Adds what one more block was folded to, which is overwritten.
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
  /// The first row: of a fold that is strictly in order, its state.
  Acc* first() { return partial_; }

 private:
  Acc* row(int level) const { return partial_ + level * stride_; }
  void merge(Acc* into, const Acc* left) const {
    if constexpr (VectorFold<F>) {
      fold_loops<typename F::In>(F::kStep).merge(into, left, width_);
    } else {
      for (int w = 0; w < width_; ++w) into[w] = F::merge(left[w], into[w]);
    }
  }

  Acc* partial_;
  int width_;
  std::int64_t stride_;
  std::uint64_t blocks_ = 0;
};

/// Folds `width` sequences side by side that come row by row: their first elements, then their
/// second ones, and so on. Lives in memory of the caller, with its accumulators behind it.
template <class F>
class alignas(16) RowFolding {
 public:
  using In = typename F::In;
  using Acc = typename F::Acc;

  static std::size_t bytes(int width, std::int64_t count) {
    return sizeof(RowFolding) +
           (F::kLanes + RowTree<F>::rows(count)) * static_cast<std::size_t>(width) * sizeof(Acc);
  }

  explicit RowFolding(int width) : width_(width), tree_(lane(F::kLanes), width, width) {}
  RowFolding(const RowFolding&) = delete;
  RowFolding& operator=(const RowFolding&) = delete;

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
        if (n_ == kFoldBlock) end_block();
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
    if constexpr (VectorFold<F>) {
      fold_loops<In>(F::kStep).step(to, x, n);
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
    if constexpr (VectorFold<F>) {
      fold_loops<In>(F::kStep).step(into, right, n);
    } else {
      for (int i = 0; i < n; ++i) into[i] = F::merge(into[i], right[i]);
    }
  }

  int width_;
  int n_ = 0;  // rows of the block
  RowTree<F> tree_;
};

/// Folds sequences whose starts are `step` bytes apart side by side; same results as `fold_along`.
/// There are at least kMinFoldColumns and at most kFoldTile of them.
template <class F>
class TileFolding {
 public:
  using In = typename F::In;
  using Acc = typename F::Acc;

  TileFolding(int width, std::int64_t step, std::int64_t count)
      : width_(width),
        step_(step),
        dense_(step == static_cast<std::int64_t>(sizeof(In))),
        partial_(RowTree<F>::rows(count)),
        tree_(partial_[0].data(), width, kFoldTile<Acc>) {}

  void fold(const char* first, const FoldAxes& reduced, Acc* totals) {
    const char* rows[kFoldBlock];
    int n = 0;
    const std::int64_t length = reduced.inner_length();
    const std::int64_t stride = reduced.inner_stride();
    reduced.each_run([&](std::int64_t offset) {
      for (std::int64_t i = 0; i < length; ++i) {
        rows[n++] = first + offset + i * stride;
        if (n < kFoldBlock) continue;
        add_block(rows, n);
        n = 0;
      }
    });
    if (n > 0) add_block(rows, n);
    tree_.total(totals);
  }

 private:
  using Row = std::array<Acc, kFoldTile<Acc>>;

  void add_row(Acc* row, const char* x) const {
    if (dense_) {
      const In* elements = reinterpret_cast<const In*>(x);
      for (int w = 0; w < width_; ++w) row[w] = F::step(row[w], elements[w]);
    } else {
      for (int w = 0; w < width_; ++w)
        row[w] = F::step(row[w], *reinterpret_cast<const In*>(x + w * step_));
    }
  }
  /// The rows of one block, folded by the rule.
  void fold_block_rows(Acc* block, const char* const* rows, int n) {
    if constexpr (VectorFold<F>) {
      if (dense_) {
        fold_loops<In>(F::kStep).columns(block, rows, n, width_);
        return;
      }
    }
    std::array<Row, F::kLanes> lanes;
    for (Row& lane : lanes) lane.fill(F::identity());
    for (int r = 0; r < n; ++r) add_row(lanes[r % F::kLanes].data(), rows[r]);
    for (int half = F::kLanes / 2; half > 0; half /= 2)
      for (int j = 0; j < half; ++j)
        for (int w = 0; w < width_; ++w) lanes[j][w] = F::merge(lanes[j][w], lanes[j + half][w]);
    std::copy_n(lanes[0].data(), width_, block);
  }
  void add_block(const char* const* rows, int n) {
    if constexpr (F::kLanes == 1) {
      for (int r = 0; r < n; ++r) add_row(tree_.first(), rows[r]);
    } else {
      Row block;
      fold_block_rows(block.data(), rows, n);
      tree_.add(block.data());
    }
  }

  int width_;
  std::int64_t step_;
  bool dense_;
  std::vector<Row> partial_;
  RowTree<F> tree_;
};

/// Folds every sequence: `out(i, acc)` is called for output i, counted in C order of the kept axes.
template <class F, class Out>
void fold_all(const char* data, const FoldAxes& kept, const FoldAxes& reduced, Out&& out) {
  const std::int64_t length = kept.inner_length();
  const std::int64_t stride = kept.inner_stride();
  const auto size = [](std::int64_t s) { return s < 0 ? -s : s; };
  const bool across = length >= kMinFoldColumns && reduced.count > 1 && !reduced.lengths.empty() &&
                      size(stride) < size(reduced.inner_stride());
  std::int64_t output = 0;
  kept.each_run([&](std::int64_t offset) {
    const char* run = data + offset;
    if (!across) {
      for (std::int64_t i = 0; i < length; ++i)
        out(output++, fold_along<F>(run + i * stride, reduced));
      return;
    }
    // Tiles of even widths: none is so narrow that it would need loops of its own.
    constexpr std::int64_t kTile = kFoldTile<typename F::Acc>;
    const std::int64_t tiles = (length + kTile - 1) / kTile;
    typename F::Acc totals[kTile];
    for (std::int64_t tile = 0; tile < tiles; ++tile) {
      const std::int64_t begin = length * tile / tiles;
      const int width = static_cast<int>(length * (tile + 1) / tiles - begin);
      TileFolding<F>(width, stride, reduced.count).fold(run + begin * stride, reduced, totals);
      for (int w = 0; w < width; ++w) out(output++, totals[w]);
    }
  });
}

}  // namespace thunkvm
