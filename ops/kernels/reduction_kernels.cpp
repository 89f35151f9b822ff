// reduction_kernels.cpp: which kernels of reduction_kernels.h a machine gets, and those for 16
// bytes, which every x86-64 has.
#include "ops/kernels/reduction_kernels.h"

#include "ops/kernels/reduction_lanes.h"

namespace thunkvm {
namespace {

const ReductionTable& table_for(VectorUnit unit) {
#ifdef __x86_64__
  if (unit == VectorUnit::Avx512) return kReductionAvx512;
  if (unit == VectorUnit::Avx2) return kReductionAvx2;
#endif
  static constexpr ReductionTable kBaseline = kReductionTable<16>;
  return kBaseline;
}

}  // namespace

template <class T>
const ReductionKernels<T>& reduction_kernels(ReductionStep step, VectorUnit unit) {
  if constexpr (sizeof(T) == sizeof(double)) {
    return table_for(unit).doubles[static_cast<int>(step)];
  } else {
    return table_for(unit).floats[static_cast<int>(step)];
  }
}
template const ReductionKernels<double>& reduction_kernels<double>(ReductionStep, VectorUnit);
template const ReductionKernels<float>& reduction_kernels<float>(ReductionStep, VectorUnit);

template <class T>
const ReductionKernels<T>& reduction_kernels(ReductionStep step) {
  return reduction_kernels<T>(step, vector_unit());
}
template const ReductionKernels<double>& reduction_kernels<double>(ReductionStep);
template const ReductionKernels<float>& reduction_kernels<float>(ReductionStep);

}  // namespace thunkvm
