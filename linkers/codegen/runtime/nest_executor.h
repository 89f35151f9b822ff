// nest_executor.h: runs fused nests on the registers of a call.
#pragma once

#include "linkers/codegen/runtime/fused_nest.h"

namespace thunkvm {

/// As one nest, or member by member. False: the call has failed, which was noted. `numbers` are the
/// 0-d inputs' values; the results of reductions that are 0-d go to `results`, in the reductions'
/// order.
bool run_nest(const FusedNest& fused, NativeCall& call, const NumberBits* numbers,
              NumberBits* results);

}  // namespace thunkvm
