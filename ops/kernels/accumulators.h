// accumulators.h: the states of a nest's reductions, while one thread computes a tile.
#pragma once

#include "ops/kernels/resolved_nest.h"

#include <algorithm>
#include <cstddef>

namespace thunkvm {

/// The states of all reductions of one tile. `states` is memory of the caller,
/// ResolvedNest::states_bytes of it, aligned to 16:
///
///   Accumulators sums(nest, instance, tile, states);
///   sums.start();
///   sums.add(blocks, first, rows);   // as often as there are blocks
///   sums.finish(results);
class Accumulators {
 public:
  Accumulators(const Nest& nest, const ResolvedNest& instance, const Tile& tile, char* states)
      : nest_(nest),
        instance_(instance),
        states_(states),
        n_outer_(static_cast<int>(tile.n)),
        width_(static_cast<int>(tile.width)) {}

  void start() const {
    each([&](std::size_t, const BlockReduction& reduction, char* state, int) {
      reduction.rows(width_).start(state, width_);
    });
  }

  /// Adds so many rows of each outer index of the tile: those of the first, then those of the next.
  /// They begin with element `first` of `blocks`, where the elements of each reduction lie.
  void add(const char* const* blocks, std::int64_t first, std::int64_t rows) const {
    each([&](std::size_t f, const BlockReduction& reduction, char* state, int outer) {
      const std::int64_t pitch = width_ * bytes_of(reduction.in);
      reduction.rows(width_).add(
          state, blocks[f] + first * bytes_of(reduction.in) + outer * rows * pitch, pitch, rows);
    });
  }
  /// Adds n rows of outer index `outer` of the tile to reduction k, `pitch` bytes apart.
  void add(std::size_t k, std::int64_t outer, const char* rows, std::int64_t pitch,
           std::int64_t n) const {
    char* state = states_ + outer * static_cast<std::int64_t>(instance_.state_bytes[k]);
    for (std::size_t before = 0; before < k; ++before)
      state += n_outer_ * static_cast<std::int64_t>(instance_.state_bytes[before]);
    nest_.reductions[k].kernel->rows(width_).add(state, rows, pitch, n);
  }

  /// `results`: by reduction, the address of all its results. `at`: the number of results in front
  /// of the tile's.
  void finish(char* const* results, std::int64_t at) const {
    each([&](std::size_t f, const BlockReduction& reduction, char* state, int outer) {
      reduction.rows(width_).finish(state, instance_.tiles.count(),
                                    results[f] + (at + outer * width_) * bytes_of(reduction.out));
    });
  }

  // A sequence may be computed in pieces of kNestPiece elements, each with states of its own.

  /// False if a reduction takes its elements strictly in order.
  static bool has_pieces(const Nest& nest) {
    return std::ranges::all_of(nest.reductions, [](const Nest::Reduction& reduction) {
      return reduction.kernel->one.append != nullptr;
    });
  }
  /// As if the elements of the piece after this one, which it overwrites, had been added.
  void append(const Accumulators& next) const {
    each([&](std::size_t, const BlockReduction& reduction, char* state, int) {
      reduction.rows(width_).append(state, next.states_ + (state - states_));
    });
  }

 private:
  static std::int64_t bytes_of(DType dtype) { return static_cast<std::int64_t>(item_size(dtype)); }
  /// Calls `f(k, kernel, state, outer)` for each state of reduction k.
  template <class F>
  void each(F f) const {
    char* at = states_;
    for (std::size_t k = 0; k < nest_.reductions.size(); ++k)
      for (int outer = 0; outer < n_outer_; ++outer, at += instance_.state_bytes[k])
        f(k, *nest_.reductions[k].kernel, at, outer);
  }

  const Nest& nest_;
  const ResolvedNest& instance_;
  char* const states_;
  const int n_outer_, width_;
};

}  // namespace thunkvm
