// reduction_order.h: an order of a graph's nodes in which an array is reduced soon after it is
// computed.
#pragma once

#include "ops/graph/node_index.h"

#include <vector>

namespace thunkvm {

/// Moves reductions, and elementwise nodes that only reductions read, up to where the last of their
/// inputs is computed. What follows a conditional in the depth-first order may then be part of the
/// loop before it, and arrays are let go earlier. `nodes` is what topological_order gave; what
/// comes back is such an order, too. Linear.
NodeIndex reduced_early(std::vector<Apply*> nodes);

}  // namespace thunkvm
