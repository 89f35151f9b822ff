#include "ops/kernels/array_reduction.h"

#include "ops/kernels/loop_executor.h"
#include "ops/kernels/loop_scratch.h"

#include <algorithm>
#include <cstdlib>

namespace thunkvm {
namespace {

/// Axes of an array, in the order in which something goes along them.
struct AxisOrder {
  int n = 0;
  int axes[kMaxDims];

  void append(int axis) { axes[n++] = axis; }
};

class ReducedArray {
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

  /// Puts the reduced axes into the order of the memory. False if they are in it.
  bool sort_reduced() {
    const auto outer = [this](int a, int b) { return stride(a) > stride(b); };
    int* const end = reduced_.axes + reduced_.n;
    if (std::is_sorted(reduced_.axes, end, outer)) return false;
    std::stable_sort(reduced_.axes, end, outer);
    return true;
  }
  /// All axes, the ones with the larger strides outside as far as kept and reduced ones keep their
  /// order; and which of them are reduced.
  View mixed(AxisSet& is_reduced) const {
    View view;
    view.data = x_.data;
    is_reduced = 0;
    for (int k = 0, r = 0; k < kept_.n || r < reduced_.n;) {
      const bool next = k == kept_.n || (r < reduced_.n && stride(reduced_.axes[r]) >=
                                                               stride(kept_.axes[k]));
      if (next) is_reduced |= AxisSet{1} << view.ndim;
      const int axis = next ? reduced_.axes[r++] : kept_.axes[k++];
      view.append(x_.lengths[axis], x_.strides[axis]);
    }
    return view;
  }

 private:
  std::int64_t stride(int axis) const { return std::abs(x_.strides[axis]); }

  const Layout& x_;
  std::int64_t n_kept_ = 1, n_reduced_ = 1;
  AxisOrder kept_, reduced_;
};

/// `in_order`: the loop over the axes in C order.
void execute_mixed(const Loop& in_order, const ReducedArray& array, char* results, Host& host) {
  AxisSet reduced;
  const View view = array.mixed(reduced);
  const Layout layout = view.layout();
  const auto execute = [&](const Loop& loop) {
    execute_once(loop, view.shape(), {&layout, 1}, {}, {&results, 1}, host);
  };
  if (view.ndim == in_order.ndim && reduced == in_order.reduced) return execute(in_order);
  Loop loop = in_order;
  loop.ndim = view.ndim;
  loop.reduced = reduced;
  execute(loop);
}

/// The results where there is nothing to reduce.
void write_empty(const BlockReduction& kernel, char* results, std::int64_t n) {
  const LoopScratch::Lease scratch;
  char* const state = scratch->states(kernel.state_bytes);
  for (; n > 0; --n, results += item_size(kernel.out)) {
    kernel.start(state);
    kernel.finish(state, 0, results);
  }
}

}  // namespace

ArrayReduction::ArrayReduction(const BlockReduction& kernel, int ndim, AxisSet reduced) {
  loop_.ndim = ndim;
  loop_.n_inputs = 1;
  loop_.item_sizes.assign(2, static_cast<std::int64_t>(item_size(kernel.in)));
  loop_.reductions = {{&kernel, 0}};
  loop_.reduced = reduced;
}

void ArrayReduction::run(const Layout& x, char* results, Host& host) const {
  ReducedArray array(x, loop_.reduced);
  if (array.n_reduced() == 0) return write_empty(kernel(), results, array.n_kept());
  if (array.n_kept() == 0) return;
  if (kernel().same_in_any_order != nullptr) {
    ReducedArray sorted = array;
    if (sorted.sort_reduced()) {
      execute_mixed(loop_, sorted, results, host);
      if (kernel().same_in_any_order(results, array.n_kept())) return;
    }
  }
  execute_mixed(loop_, array, results, host);
}

}  // namespace thunkvm
