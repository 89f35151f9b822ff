// function_regions.h: the blocks of a function's schedule, for Python to name.
#pragma once

#include "linkers/schedule.h"
#include "python/bindings/python/python.h"

namespace thunkvm {

/// (blocks, by node the index of its block or None). A block is (kind, index of the block that it
/// is within or None, node or None, number, number of arms, decoding): of an arm the conditional
/// and which arm it is, of a memo body or an input the node. Kinds are "root", "arm", "memo",
/// "input" and "guarded", decodings "truth", "index" and "default".
PyRef list_regions(const Schedule& schedule);

}  // namespace thunkvm
