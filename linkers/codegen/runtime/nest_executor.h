// nest_executor.h: runs fused nests on the registers of a call.
#pragma once

#include "linkers/codegen/runtime/fused_nest.h"

namespace thunkvm {

/// Runs it as one nest, or member by member. False: the call has failed, which was noted. `numbers`
/// are the values of the 0-d inputs. 0-d results of reductions go to `results`, in the order of the
/// reductions.
bool run_nest(const FusedNest& fused, NativeCall& call, const NumberBits* numbers,
              NumberBits* results);

}  // namespace thunkvm
