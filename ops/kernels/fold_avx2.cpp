// fold_avx2.cpp: the loops of fold_loops.h for AVX2. This file alone is compiled for it.
#include "ops/kernels/fold_lanes.h"

namespace thunkvm {

const FoldTable kFoldAvx2 = kFoldTable<32>;

}  // namespace thunkvm
