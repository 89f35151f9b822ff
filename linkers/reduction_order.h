// reduction_order.h: an order of a graph's nodes in which an array is reduced soon after it is
// computed.
#pragma once

#include "ops/graph/variable.h"

#include <vector>

namespace thunkvm {

/// Moves reductions, and elementwise nodes that only reductions read, up to where the last of their
/// inputs is computed. What follows a conditional in the depth-first order may then be part of the
/// loop before it, and arrays are let go earlier. `nodes` is what topological_order
/// gave, marks included, and stays such an order; each node's `Apply::mark` is its index. Linear.
void reduce_early(std::vector<Apply*>& nodes);

}  // namespace thunkvm
