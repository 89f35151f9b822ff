// array_reduction.h: reductions of an array, by the nest.
#pragma once

#include "ops/kernels/nest.h"
#include "ops/kernels/view.h"
#include "thunks/host.h"

#include <cstdint>

namespace thunkvm {

/// A reduction along some axes of arrays that lie anywhere.
///
/// A result has the same elements in the same order, however kept axes and reduced ones are mixed.
/// So the nest takes them mixed as the array's memory has them: the kept axes in their order, the
/// reduced ones in theirs. Reduced axes change their order only if a result is the same in any
/// order.
class ArrayReduction {
 public:
  /// For arrays with `ndim` axes. The kernel stays where it is.
  ArrayReduction(const BlockReduction& kernel, int ndim, AxisSet reduced);

  const BlockReduction& kernel() const { return *nest_.reductions[0].kernel; }
  bool reduces(std::size_t axis) const { return has_axis(nest_.reduced, axis); }

  /// Writes the results, in C order of the kept axes. The host is left if the work is worth it, and
  /// asked in pauses: throws its error.
  void run(const Layout& x, char* results, Host& host) const;

 private:
  class ReducedArray;
  void run(const ReducedArray& array, char* results, Host& host) const;

  Nest nest_;
};

}  // namespace thunkvm
