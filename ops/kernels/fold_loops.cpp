// fold_loops.cpp: which loops of fold_loops.h a machine gets, and those for 16 bytes, which every
// x86-64 has.
#include "ops/kernels/fold_loops.h"

#include "ops/kernels/fold_lanes.h"

namespace thunkvm {
namespace {

const FoldTable& table_for(VectorUnit unit) {
#ifdef __x86_64__
  if (unit == VectorUnit::Avx512) return kFoldAvx512;
  if (unit == VectorUnit::Avx2) return kFoldAvx2;
#endif
  static constexpr FoldTable kBaseline = kFoldTable<16>;
  return kBaseline;
}

}  // namespace

template <class T>
const FoldLoops<T>& fold_loops(FoldStep step, VectorUnit unit) {
  if constexpr (sizeof(T) == sizeof(double)) {
    return table_for(unit).doubles[static_cast<int>(step)];
  } else {
    return table_for(unit).floats[static_cast<int>(step)];
  }
}
template const FoldLoops<double>& fold_loops<double>(FoldStep, VectorUnit);
template const FoldLoops<float>& fold_loops<float>(FoldStep, VectorUnit);

template <class T>
const FoldLoops<T>& fold_loops(FoldStep step) {
  return fold_loops<T>(step, vector_unit());
}
template const FoldLoops<double>& fold_loops<double>(FoldStep);
template const FoldLoops<float>& fold_loops<float>(FoldStep);

}  // namespace thunkvm
