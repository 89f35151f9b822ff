// reduction_axes.h: the axes that a reduction walks over.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace thunkvm {

/// The axes of one operand, merged where their strides allow it.
struct ReductionAxes {
  std::vector<std::int64_t> lengths;
  std::vector<std::int64_t> strides;
  std::int64_t count = 1;

  void append(std::int64_t length, std::int64_t stride) {
    count *= length;
    if (length == 1) return;
    if (!lengths.empty() && strides.back() == stride * length) {
      lengths.back() *= length;
      strides.back() = stride;
      return;
    }
    lengths.push_back(length);
    strides.push_back(stride);
  }
  std::int64_t inner_length() const { return lengths.empty() ? 1 : lengths.back(); }
  std::int64_t inner_stride() const { return strides.empty() ? 0 : strides.back(); }

  /// The same elements in the order of their addresses.
  ReductionAxes in_memory_order() const {
    std::vector<std::size_t> order(lengths.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return strides[a] > strides[b]; });
    ReductionAxes axes;
    for (const std::size_t axis : order) axes.append(lengths[axis], strides[axis]);
    return axes;
  }

  /// Calls `f(offset)` for the start of every inner run, in C order.
  template <class F>
  void each_run(F&& f) const {
    if (count == 0) return;
    if (lengths.size() <= 1) {
      f(std::int64_t{0});
      return;
    }
    const std::size_t outer = lengths.size() - 1;
    std::vector<std::int64_t> index(outer, 0);
    std::int64_t offset = 0;
    for (;;) {
      f(offset);
      std::size_t axis = outer;
      while (axis-- > 0) {
        offset += strides[axis];
        if (++index[axis] < lengths[axis]) break;
        offset -= strides[axis] * lengths[axis];
        index[axis] = 0;
      }
      if (axis == static_cast<std::size_t>(-1)) return;
    }
  }
};

}  // namespace thunkvm
