// reduce_all.h: the reductions of all sequences of an array, each by itself or several side by
// side.
#pragma once

#include "ops/kernels/reduce_along.h"
#include "ops/kernels/reduce_rows.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace thunkvm {

/// Reduces sequences whose starts are `step` bytes apart side by side; same results as
/// `reduce_along`. There are at least kMinReductionColumns and at most kReductionTile of them.
template <class F>
class TileAccumulator {
 public:
  using In = typename F::In;
  using Acc = typename F::Acc;

  TileAccumulator(int width, std::int64_t step, std::int64_t count)
      : width_(width),
        step_(step),
        dense_(step == static_cast<std::int64_t>(sizeof(In))),
        partial_(RowTree<F>::rows(count)),
        tree_(partial_[0].data(), width, kReductionTile<Acc>) {}

  void reduce(const char* first, const ReductionAxes& reduced, Acc* totals) {
    const char* rows[kReductionBlock];
    int n = 0;
    const std::int64_t length = reduced.inner_length();
    const std::int64_t stride = reduced.inner_stride();
    reduced.each_run([&](std::int64_t offset) {
      for (std::int64_t i = 0; i < length; ++i) {
        rows[n++] = first + offset + i * stride;
        if (n < kReductionBlock) continue;
        add_block(rows, n);
        n = 0;
      }
    });
    if (n > 0) add_block(rows, n);
    tree_.total(totals);
  }

 private:
  using Row = std::array<Acc, kReductionTile<Acc>>;

  void add_row(Acc* row, const char* x) const {
    if (dense_) {
      const In* elements = reinterpret_cast<const In*>(x);
      for (int w = 0; w < width_; ++w) row[w] = F::step(row[w], elements[w]);
    } else {
      for (int w = 0; w < width_; ++w)
        row[w] = F::step(row[w], *reinterpret_cast<const In*>(x + w * step_));
    }
  }
  /// The rows of one block, reduced by the rule.
  void reduce_block_rows(Acc* block, const char* const* rows, int n) {
    if constexpr (VectorReducer<F>) {
      if (dense_) {
        reduction_loops<In>(F::kStep).columns(block, rows, n, width_);
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
      reduce_block_rows(block.data(), rows, n);
      tree_.add(block.data());
    }
  }

  int width_;
  std::int64_t step_;
  bool dense_;
  std::vector<Row> partial_;
  RowTree<F> tree_;
};

/// Reduces every sequence: `out(i, acc)` is called for output i, counted in C order of the kept
/// axes.
template <class F, class Out>
void reduce_all(const char* data, const ReductionAxes& kept, const ReductionAxes& reduced,
                Out&& out) {
  const std::int64_t length = kept.inner_length();
  const std::int64_t stride = kept.inner_stride();
  const auto size = [](std::int64_t s) { return s < 0 ? -s : s; };
  const bool across = length >= kMinReductionColumns && reduced.count > 1 &&
                      !reduced.lengths.empty() && size(stride) < size(reduced.inner_stride());
  std::int64_t output = 0;
  kept.each_run([&](std::int64_t offset) {
    const char* run = data + offset;
    if (!across) {
      for (std::int64_t i = 0; i < length; ++i)
        out(output++, reduce_along<F>(run + i * stride, reduced));
      return;
    }
    // Tiles of even widths: none is so narrow that it would need loops of its own.
    constexpr std::int64_t kTile = kReductionTile<typename F::Acc>;
    const std::int64_t tiles = (length + kTile - 1) / kTile;
    typename F::Acc totals[kTile];
    for (std::int64_t tile = 0; tile < tiles; ++tile) {
      const std::int64_t begin = length * tile / tiles;
      const int width = static_cast<int>(length * (tile + 1) / tiles - begin);
      TileAccumulator<F>(width, stride, reduced.count)
          .reduce(run + begin * stride, reduced, totals);
      for (int w = 0; w < width; ++w) out(output++, totals[w]);
    }
  });
}

}  // namespace thunkvm
