// iteration_tiles.h: an iteration space cut into tiles, which may be computed in any order.
//
// From its last axis on, a space has kept axes, its *columns*; then reduced ones, the *rows*; then
// kept ones, which lay *panels* of rows and columns side by side. What is further out is kept and
// reduced in turn: kept axes give *groups* of panels that have nothing in common, and reduced ones
// *visits* to each group, where its panels go on with more rows. Where nothing is reduced, all
// elements are columns of one row; a sequence that is reduced is one column.
//
// A tile is a part of the columns of one panel, or several whole panels, in all their rows and
// visits. Its blocks are rows, as many as fit into kLoopBlock elements.
#pragma once

#include "linkers/codegen/runtime/index_cursors.h"
#include "ops/kernels/block_reduction.h"

#include <algorithm>
#include <cstdint>

namespace thunkvm {

struct Tile {
  std::int64_t group, panel, n;  ///< panels from `panel` on
  std::int64_t column, width;    ///< columns of each
};

class IterationTiles {
 public:
  IterationTiles() = default;
  /// There are elements in this shape. `outer` is room for as many axes, which stay where they are.
  IterationTiles(Dims shape, AxisSet reduced, Axis* outer);

  std::int64_t n_tiles() const { return n_tiles_; }
  Tile tile(std::int64_t index) const;
  Tile whole() const { return {0, 0, panels_, 0, columns_}; }  ///< where there is one tile
  /// Makes a tile the next one.
  void advance(Tile& tile) const;

  /// How many elements are reduced to one.
  std::int64_t count() const { return rows_ * n_visits_; }
  /// How many results there are in front of a tile's.
  std::int64_t result(const Tile& tile) const {
    return (tile.group * panels_ + tile.panel) * columns_ + tile.column;
  }
  /// True if the elements that are reduced to one follow each other.
  bool are_sequences() const { return columns_ == 1 && n_visits_ == 1; }

  /// The most panels of a tile, and the bytes that the state of a reduction of each takes.
  std::int64_t panels_at_once() const { return panels_at_once_; }
  std::size_t state_bytes(const BlockReduction& reduction) const;

  std::int64_t rows() const { return rows_; }
  std::int64_t visits() const { return n_visits_; }
  std::int64_t rows_at_once() const { return rows_at_once_; }
  /// How many visits, from this one on, follow each other in memory and make one block.
  std::int64_t visits_at_once(std::int64_t visit) const {
    if (visits_.empty()) return 1;
    return std::min(visits_at_once_, visits_[0].length - visit % visits_[0].length);
  }
  /// The element that a row of a tile begins with.
  std::int64_t start(const Tile& tile, std::int64_t visit, std::int64_t row) const {
    return offset(groups_, tile.group) + offset(visits_, visit) +
           (tile.panel * rows_ + row) * columns_ + tile.column;
  }

 private:
  /// Where in the space place `index` is, in the order of these axes: the last one first.
  static std::int64_t offset(Axes axes, std::int64_t index) {
    std::int64_t offset = 0;
    for (const Axis& axis : axes) {
      offset += index % axis.length * axis.stride;
      index /= axis.length;
    }
    return offset;
  }
  void clip(Tile& tile) const;

  std::int64_t columns_ = 1, rows_ = 1, panels_ = 1, n_visits_ = 1;
  Axes groups_, visits_;
  std::int64_t width_ = 1, panels_at_once_ = 1, rows_at_once_ = 1, visits_at_once_ = 1;
  std::int64_t tiles_in_row_ = 1, tiles_in_group_ = 1, n_tiles_ = 1;
};

}  // namespace thunkvm
