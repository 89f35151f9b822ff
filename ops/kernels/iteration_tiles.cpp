#include "ops/kernels/iteration_tiles.h"

#include "ops/kernels/limits.h"

#include <algorithm>

namespace thunkvm {

IterationTiles::IterationTiles(Dims shape, AxisSet reduced, Axis* far) {
  std::size_t axis = shape.size();
  const auto take = [&](bool kind) {  // axes of length 1 are of either kind
    std::int64_t size = 1;
    for (; axis > 0 && (shape[axis - 1] == 1 || has_axis(reduced, axis - 1) == kind); --axis)
      size *= shape[axis - 1];
    return size;
  };
  n_inner_ = take(false);
  n_reduced_ = take(true);
  n_outer_ = take(false);
  std::int64_t n_far_outer = 1;
  const auto collect = [&](bool kind, std::int64_t& n) {
    Axis* const first = far;
    std::int64_t stride = n_inner_ * n_reduced_ * n_outer_;
    for (std::size_t k = axis; k-- > 0; stride *= shape[k]) {
      if (shape[k] == 1 || has_axis(reduced, k) != kind) continue;
      *far++ = {shape[k], stride};
      n *= shape[k];
    }
    return NestAxes(first, far);
  };
  far_outer_ = collect(false, n_far_outer);
  far_reduced_ = collect(true, n_far_reduced_);

  width_ = std::min<std::int64_t>(n_inner_, kNestBlock);
  outer_at_once_ = std::clamp<std::int64_t>(kNestBlock / (n_reduced_ * n_inner_), 1, n_outer_);
  tiles_in_row_ = (n_inner_ + width_ - 1) / width_;
  tiles_in_outer_ = (n_outer_ + outer_at_once_ - 1) / outer_at_once_ * tiles_in_row_;
  n_tiles_ = n_far_outer * tiles_in_outer_;
  // Several rows, or all rows of several far reduced indices, at once where they are short.
  const std::int64_t fitting = std::max<std::int64_t>(kNestBlock / n_inner_, 1);
  rows_at_once_ = fitting < kNestLanes ? fitting : fitting / kNestLanes * kNestLanes;
  if (width_ == n_inner_ && outer_at_once_ == n_outer_)
    far_reduced_at_once_ =
        std::max<std::int64_t>(kNestBlock / (n_outer_ * n_reduced_ * n_inner_), 1);
}

Tile IterationTiles::tile(std::int64_t index) const {
  const std::int64_t in_outer = index % tiles_in_outer_;
  Tile tile{index / tiles_in_outer_, in_outer / tiles_in_row_ * outer_at_once_, 0,
            in_outer % tiles_in_row_ * width_, 0};
  clip(tile);
  return tile;
}

void IterationTiles::advance(Tile& tile) const {
  tile.inner += width_;
  if (tile.inner >= n_inner_) {
    tile.inner = 0;
    tile.outer += outer_at_once_;
  }
  if (tile.outer >= n_outer_) {
    tile.outer = 0;
    ++tile.far_outer;
  }
  clip(tile);
}

void IterationTiles::clip(Tile& tile) const {
  tile.n = std::min(outer_at_once_, n_outer_ - tile.outer);
  tile.width = std::min(width_, n_inner_ - tile.inner);
}

std::size_t IterationTiles::state_bytes(const BlockReduction& reduction) const {
  const auto bytes = [&](std::int64_t width) {
    return reduction.rows(width).state_bytes(static_cast<int>(width), count());
  };
  const std::int64_t last = n_inner_ - (tiles_in_row_ - 1) * width_;
  return std::max(bytes(width_), bytes(last));
}

}  // namespace thunkvm
