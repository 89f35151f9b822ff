// reduction_kernels.h: the kernels of float reductions (reduce.h) that each vector unit has its own
// copies of.
#pragma once

#include "ops/kernels/limits.h"
#include "ops/kernels/vector_math.h"

namespace thunkvm {

/// A step on the accumulator a and the element x, or on two accumulators.
enum class ReductionStep : std::uint8_t {
  Add,  ///< a + x, from minus zero
  Max,  ///< x if it is larger or NaN, else a; from minus infinity
  Min,  ///< x if it is smaller or NaN, else a; from infinity
};
inline constexpr int kReductionSteps = 3;

/// All give the same bits on every vector unit: they differ in width, not in order.
template <class T>
struct ReductionKernels {
  /// The reduction of one block of n <= kReductionBlock neighbours.
  T (*block)(const T* x, int n);
  /// Rows `before` to before + n of a block of `width` sequences side by side, `pitch` bytes apart,
  /// go to the accumulators: row r to row r % kReductionLanes of `lanes`, which it begins if it is
  /// the first one there.
  void (*add_rows)(T* lanes, int before, const char* rows, long pitch, int n, int width);
  /// Merges the rows of accumulators, of which the first `used` have begun, into the first.
  void (*merge_rows)(T* lanes, int used, int width);
  /// into[i] = step(left[i], into[i])
  void (*merge)(T* into, const T* left, int width);
  /// a[i] = step(a[i], x[i])
  void (*step)(T* a, const T* x, int width);
};

/// The kernels for the unit that all kernels use. T is double or float.
template <class T>
const ReductionKernels<T>& reduction_kernels(ReductionStep step);
/// The same for one unit, which the processor must have.
template <class T>
const ReductionKernels<T>& reduction_kernels(ReductionStep step, VectorUnit unit);

struct ReductionTable {
  ReductionKernels<double> doubles[kReductionSteps];
  ReductionKernels<float> floats[kReductionSteps];
};
// One file for each unit; the baseline is beside reduction_kernels().
extern const ReductionTable kReductionAvx2;
extern const ReductionTable kReductionAvx512;

}  // namespace thunkvm
