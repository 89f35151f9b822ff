#include "linkers/codegen/runtime/iteration_tiles.h"

#include "linkers/codegen/runtime/loop_nest.h"

#include <algorithm>

namespace thunkvm {

IterationTiles::IterationTiles(Dims shape, AxisSet reduced, Axis* outer) {
  std::size_t axis = shape.size();
  const auto is_reduced = [&](std::size_t k) { return ((reduced >> k) & 1u) != 0; };
  const auto take = [&](bool kind) {  // axes of length 1 are of either kind
    std::int64_t size = 1;
    for (; axis > 0 && (shape[axis - 1] == 1 || is_reduced(axis - 1) == kind); --axis)
      size *= shape[axis - 1];
    return size;
  };
  columns_ = take(false);
  rows_ = take(true);
  panels_ = take(false);
  std::int64_t n_groups = 1;
  const auto collect = [&](bool kind, std::int64_t& n) {
    Axis* const first = outer;
    std::int64_t stride = columns_ * rows_ * panels_;
    for (std::size_t k = axis; k-- > 0; stride *= shape[k]) {
      if (shape[k] == 1 || is_reduced(k) != kind) continue;
      *outer++ = {shape[k], stride};
      n *= shape[k];
    }
    return Axes(first, outer);
  };
  groups_ = collect(false, n_groups);
  visits_ = collect(true, n_visits_);

  width_ = std::min<std::int64_t>(columns_, kLoopBlock);
  panels_at_once_ = std::clamp<std::int64_t>(kLoopBlock / (rows_ * columns_), 1, panels_);
  tiles_in_row_ = (columns_ + width_ - 1) / width_;
  tiles_in_group_ = (panels_ + panels_at_once_ - 1) / panels_at_once_ * tiles_in_row_;
  n_tiles_ = n_groups * tiles_in_group_;
  // Several rows, or visits, at once where they are short.
  const std::int64_t fitting = std::max<std::int64_t>(kLoopBlock / columns_, 1);
  rows_at_once_ = fitting < kLoopLanes ? fitting : fitting / kLoopLanes * kLoopLanes;
  if (width_ == columns_ && panels_at_once_ == panels_)
    visits_at_once_ = std::max<std::int64_t>(kLoopBlock / (panels_ * rows_ * columns_), 1);
}

Tile IterationTiles::tile(std::int64_t index) const {
  const std::int64_t in_group = index % tiles_in_group_;
  Tile tile{index / tiles_in_group_, in_group / tiles_in_row_ * panels_at_once_, 0,
            in_group % tiles_in_row_ * width_, 0};
  clip(tile);
  return tile;
}

void IterationTiles::advance(Tile& tile) const {
  tile.column += width_;
  if (tile.column >= columns_) {
    tile.column = 0;
    tile.panel += panels_at_once_;
  }
  if (tile.panel >= panels_) {
    tile.panel = 0;
    ++tile.group;
  }
  clip(tile);
}

void IterationTiles::clip(Tile& tile) const {
  tile.n = std::min(panels_at_once_, panels_ - tile.panel);
  tile.width = std::min(width_, columns_ - tile.column);
}

std::size_t IterationTiles::state_bytes(const BlockReduction& reduction) const {
  if (are_sequences()) return reduction.state_bytes;
  const auto bytes = [&](std::int64_t width) {
    return reduction.rows_of(width).state_bytes(static_cast<int>(width), count());
  };
  const std::int64_t last = columns_ - (tiles_in_row_ - 1) * width_;
  return std::max(bytes(width_), bytes(last));
}

}  // namespace thunkvm
