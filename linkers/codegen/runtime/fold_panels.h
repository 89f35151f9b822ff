// fold_panels.h: where in a fused loop lie the elements that are folded together.
//
// From its last axis on, a loop has kept axes, its *columns*; then reduced ones, the *rows*; then
// kept ones, which lay *panels* of rows and columns side by side. What is further out is kept and
// reduced in turn: kept axes give *groups* of panels that have nothing in common, and reduced ones
// *visits* to each group, where its panels go on with more rows.
#pragma once

#include "ops/kernels/block_fold.h"
#include "thunks/array.h"

#include <cstdint>

namespace thunkvm {

class FoldPanels {
 public:
  /// There are elements in this shape.
  FoldPanels(Dims shape, AxisSet reduced);

  std::int64_t columns() const { return columns_; }
  std::int64_t rows() const { return rows_; }
  std::int64_t panels() const { return panels_; }
  std::int64_t groups() const { return groups_.n; }
  std::int64_t visits() const { return visits_.n; }

  /// How many elements are folded to one.
  std::int64_t count() const { return rows_ * visits_.n; }
  /// True if the elements that are folded to one, and all of them, follow each other.
  bool are_sequences() const { return columns_ == 1 && follow_each_other(); }
  /// True if the panels do, each with all its rows.
  bool follow_each_other() const { return groups_.n * visits_.n == 1; }
  /// How many visits, from this one on, follow each other in the loop.
  std::int64_t adjacent_visits(std::int64_t visit) const {
    return visits_.n_axes == 0 ? 1 : visits_.lengths[0] - visit % visits_.lengths[0];
  }
  /// The element of the loop that a visit of a group begins with.
  std::int64_t start(std::int64_t group, std::int64_t visit) const {
    return groups_.offset(group) + visits_.offset(visit);
  }

 private:
  /// Outer axes of one kind, the innermost first.
  struct Axes {
    void add(std::int64_t length, std::int64_t stride);
    /// Where in the loop place `index` is, in C order of the axes.
    std::int64_t offset(std::int64_t index) const;

    std::int64_t n = 1;
    int n_axes = 0;
    std::int64_t lengths[kMaxDims];
    std::int64_t strides[kMaxDims];
  };

  std::int64_t columns_ = 1, rows_ = 1, panels_ = 1;
  Axes groups_, visits_;
};

}  // namespace thunkvm
