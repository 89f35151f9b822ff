#include "ops/kernels/array_reduction.h"

#include "ops/kernels/nest_execution.h"

#include <algorithm>
#include <cstdlib>

namespace thunkvm {

/// The axes of an array that are longer than 1: kept ones, and reduced ones.
class ArrayReduction::ReducedArray {
 public:
  ReducedArray(const Layout& x, AxisSet reduced) : x_(x) {
    for (int axis = 0; axis < x.ndim; ++axis) {
      const bool is_reduced = has_axis(reduced, static_cast<std::size_t>(axis));
      (is_reduced ? n_reduced_ : n_kept_) *= x.lengths[axis];
      if (x.lengths[axis] != 1) (is_reduced ? reduced_ : kept_).append(axis);
    }
  }

  std::int64_t n_kept() const { return n_kept_; }
  std::int64_t n_reduced() const { return n_reduced_; }

  const char* data() const { return x_.data; }
  /// True if the reduced elements follow each other in memory.
  bool is_stretch(std::int64_t item_size) const {
    for (int k = reduced_.n - 1; k >= 0; --k) {
      if (x_.strides[reduced_.axes[k]] != item_size) return false;
      item_size *= x_.lengths[reduced_.axes[k]];
    }
    return true;
  }

  /// True if the reduced axes are in the order of the memory.
  bool is_sorted() const {
    for (int k = 1; k < reduced_.n; ++k)
      if (stride(reduced_.axes[k - 1]) < stride(reduced_.axes[k])) return false;
    return true;
  }
  /// Puts them into it.
  void sort() {
    std::stable_sort(reduced_.axes, reduced_.axes + reduced_.n,
                     [this](int a, int b) { return stride(a) > stride(b); });
  }
  /// All axes, the ones with the larger strides outside as far as kept and reduced ones keep their
  /// order; and which of them are reduced.
  View mixed(AxisSet& is_reduced) const {
    View view;
    view.data = x_.data;
    is_reduced = 0;
    for (int k = 0, r = 0; k < kept_.n || r < reduced_.n;) {
      const bool next =
          k == kept_.n || (r < reduced_.n && stride(reduced_.axes[r]) >= stride(kept_.axes[k]));
      if (next) is_reduced |= AxisSet{1} << view.ndim;
      const int axis = next ? reduced_.axes[r++] : kept_.axes[k++];
      view.append(x_.lengths[axis], x_.strides[axis]);
    }
    return view;
  }

 private:
  std::int64_t stride(int axis) const { return std::abs(x_.strides[axis]); }

  struct Axes {
    int n = 0;
    int axes[kMaxDims];
    void append(int axis) { axes[n++] = axis; }
  };

  const Layout& x_;
  std::int64_t n_kept_ = 1, n_reduced_ = 1;
  Axes kept_, reduced_;
};

ArrayReduction::ArrayReduction(const BlockReduction& kernel, int ndim, AxisSet reduced) {
  nest_.ndim = ndim;
  nest_.n_inputs = 1;
  nest_.item_sizes.assign(2, static_cast<std::int64_t>(item_size(kernel.in)));
  nest_.reductions = {{&kernel, 0}};
  nest_.reduced = reduced;
}

void ArrayReduction::run(const Layout& x, char* results, Host& host) const {
  const ReducedArray array(x, nest_.reduced);
  if (array.n_kept() == 0) return;
  if (kernel().same_in_any_order != nullptr && !array.is_sorted()) {
    ReducedArray sorted = array;
    sorted.sort();
    run(sorted, results, host);
    if (kernel().same_in_any_order(results, array.n_kept())) return;
  }
  run(array, results, host);
}

void ArrayReduction::run(const ReducedArray& array, char* results, Host& host) const {
  if (array.n_reduced() == 0) {
    for (std::int64_t i = 0; i < array.n_kept(); ++i)
      kernel().reduce(nullptr, 0, results + i * static_cast<std::int64_t>(item_size(kernel().out)));
    return;
  }
  // One result of few neighbours needs no nest.
  if (array.n_kept() == 1 && array.is_stretch(nest_.item_sizes[0]) &&
      array.n_reduced() < kWorthLeaving)
    return kernel().reduce(array.data(), array.n_reduced(), results);
  AxisSet reduced;
  const View view = array.mixed(reduced);
  const Layout layout = view.layout();
  execute_once(nest_, {view.shape(), reduced}, {&layout, 1}, {}, {&results, 1}, host);
}

}  // namespace thunkvm
