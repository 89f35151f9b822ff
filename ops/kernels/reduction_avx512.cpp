// reduction_avx512.cpp: the kernels of reduction_kernels.h for AVX-512F. This file alone is
// compiled for it.
#include "ops/kernels/reduction_lanes.h"

namespace thunkvm {

const ReductionTable kReductionAvx512 = kReductionTable<64>;

}  // namespace thunkvm
