// reduction_avx2.cpp: the kernels of reduction_kernels.h for AVX2. This file alone is compiled for
// it.
#include "ops/kernels/reduction_lanes.h"

namespace thunkvm {

const ReductionTable kReductionAvx2 = kReductionTable<32>;

}  // namespace thunkvm
