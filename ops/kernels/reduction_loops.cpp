// reduction_loops.cpp: which loops of reduction_loops.h a machine gets, and those for 16 bytes,
// which every x86-64 has.
#include "ops/kernels/reduction_loops.h"

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
const ReductionLoops<T>& reduction_loops(ReductionStep step, VectorUnit unit) {
  if constexpr (sizeof(T) == sizeof(double)) {
    return table_for(unit).doubles[static_cast<int>(step)];
  } else {
    return table_for(unit).floats[static_cast<int>(step)];
  }
}
template const ReductionLoops<double>& reduction_loops<double>(ReductionStep, VectorUnit);
template const ReductionLoops<float>& reduction_loops<float>(ReductionStep, VectorUnit);

template <class T>
const ReductionLoops<T>& reduction_loops(ReductionStep step) {
  return reduction_loops<T>(step, vector_unit());
}
template const ReductionLoops<double>& reduction_loops<double>(ReductionStep);
template const ReductionLoops<float>& reduction_loops<float>(ReductionStep);

}  // namespace thunkvm
