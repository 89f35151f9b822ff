// fold_avx512.cpp: the loops of fold_loops.h for AVX-512F. This file alone is compiled for it.
#include "ops/kernels/fold_lanes.h"

namespace thunkvm {

const FoldTable kFoldAvx512 = kFoldTable<64>;

}  // namespace thunkvm
