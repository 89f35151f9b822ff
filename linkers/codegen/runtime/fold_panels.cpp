#include "linkers/codegen/runtime/fold_panels.h"

namespace thunkvm {

FoldPanels::FoldPanels(Dims shape, AxisSet reduced) {
  std::size_t axis = shape.size();
  const auto is_reduced = [&] { return ((reduced >> (axis - 1)) & 1u) != 0; };
  const auto take = [&](bool kind) {  // axes of length 1 are of either kind
    std::int64_t size = 1;
    for (; axis > 0 && (shape[axis - 1] == 1 || is_reduced() == kind); --axis)
      size *= shape[axis - 1];
    return size;
  };
  columns_ = take(false);
  rows_ = take(true);
  panels_ = take(false);
  for (std::int64_t stride = columns_ * rows_ * panels_; axis > 0; --axis) {
    (is_reduced() ? visits_ : groups_).add(shape[axis - 1], stride);
    stride *= shape[axis - 1];
  }
}

void FoldPanels::Axes::add(std::int64_t length, std::int64_t stride) {
  if (length == 1) return;
  lengths[n_axes] = length;
  strides[n_axes++] = stride;
  n *= length;
}

std::int64_t FoldPanels::Axes::offset(std::int64_t index) const {
  std::int64_t offset = 0;
  for (int axis = 0; axis < n_axes; ++axis) {
    offset += index % lengths[axis] * strides[axis];
    index /= lengths[axis];
  }
  return offset;
}

}  // namespace thunkvm
