// iteration_tiles.h: an iteration space cut into tiles, which may be computed in any order.
//
// From its last axis on, a space has kept axes, the *inner* ones; then *reduced* ones, along which
// it has rows of inner elements; then kept ones again, the *outer* ones. Axes further out are kept
// and reduced in turn. Along the *far outer* ones results have nothing in common; along the *far
// reduced* ones the same results go on with more rows. If nothing is reduced, all elements are one
// row of the inner axes. A sequence that is reduced has no inner axes.
//
// A tile is a part of the inner elements of one outer index, or all of those of several, in all
// their rows. Its blocks are rows, as many as fit into kNestBlock elements.
#pragma once

#include "ops/kernels/block_reduction.h"
#include "ops/kernels/gathered_blocks.h"

#include <algorithm>
#include <cstdint>

namespace thunkvm {

struct Tile {
  std::int64_t far_outer, outer, n;  ///< outer indices from `outer` on
  std::int64_t inner, width;         ///< inner elements of each, from `inner` on
};

class IterationTiles {
 public:
  IterationTiles() = default;
  /// There are elements in this shape. `far` is room for as many axes, which stay where they are.
  IterationTiles(Dims shape, AxisSet reduced, Axis* far);

  std::int64_t n_tiles() const { return n_tiles_; }
  Tile tile(std::int64_t index) const;
  Tile whole() const { return {0, 0, n_outer_, 0, n_inner_}; }  ///< where there is one tile
  /// Makes a tile the next one.
  void advance(Tile& tile) const;

  /// The number of elements that are reduced to one.
  std::int64_t count() const { return n_reduced_ * n_far_reduced_; }
  /// The number of results in front of a tile's.
  std::int64_t result(const Tile& tile) const {
    return (tile.far_outer * n_outer_ + tile.outer) * n_inner_ + tile.inner;
  }
  /// True if the elements that are reduced to one follow each other.
  bool are_sequences() const { return n_inner_ == 1 && n_far_reduced_ == 1; }
  /// True if the blocks of tiles, one tile after the other, follow each other.
  bool are_in_order() const { return width_ == n_inner_ && far_reduced_.empty(); }

  /// The most outer indices of a tile, and the bytes that the state of a reduction of each takes.
  std::int64_t outer_at_once() const { return outer_at_once_; }
  std::size_t state_bytes(const BlockReduction& reduction) const;

  std::int64_t n_inner() const { return n_inner_; }
  /// How many elements are from one outer index to the next.
  std::int64_t outer_pitch() const { return n_reduced_ * n_inner_; }
  std::int64_t rows() const { return n_reduced_; }
  std::int64_t far_reduced() const { return n_far_reduced_; }
  std::int64_t rows_at_once() const { return rows_at_once_; }
  /// The number of far reduced indices, from this one on, that follow each other in memory and make
  /// one block.
  std::int64_t far_reduced_at_once(std::int64_t far) const {
    if (far_reduced_.empty()) return 1;
    return std::min(far_reduced_at_once_, far_reduced_[0].length - far % far_reduced_[0].length);
  }
  /// The element that a row of a tile begins with.
  std::int64_t start(const Tile& tile, std::int64_t far, std::int64_t row) const {
    return offset(far_outer_, tile.far_outer) + offset(far_reduced_, far) +
           (tile.outer * n_reduced_ + row) * n_inner_ + tile.inner;
  }

 private:
  /// The element of the space at index `index` of these axes; the first axis is the innermost.
  static std::int64_t offset(NestAxes axes, std::int64_t index) {
    std::int64_t offset = 0;
    for (const Axis& axis : axes) {
      offset += index % axis.length * axis.stride;
      index /= axis.length;
    }
    return offset;
  }
  void clip(Tile& tile) const;

  std::int64_t n_inner_ = 1, n_reduced_ = 1, n_outer_ = 1, n_far_reduced_ = 1;
  NestAxes far_outer_, far_reduced_;
  std::int64_t width_ = 1, outer_at_once_ = 1, rows_at_once_ = 1, far_reduced_at_once_ = 1;
  std::int64_t tiles_in_row_ = 1, tiles_in_outer_ = 1, n_tiles_ = 1;
};

}  // namespace thunkvm
