// reduction_order.h: a pass over schedules that emission wants: an array is reduced soon after it
// is computed.
#pragma once

#include "linkers/schedule/schedule.h"

namespace thunkvm {

/// Moves the Runs of reductions, and of elementwise nodes that only such read, up: to right behind
/// the last statement of their block on which they depend, past branches too, with the Needs that
/// they wait for. What follows a conditional may then be part of the loop in front of it, and
/// arrays are let go earlier. A Run that depends on nothing in its block stays.
///
/// It runs in the same block as before, so in the same calls. Linear. Before it is said what dies
/// where (lifetimes.h), and of a placed graph: in a block, a Need of a memo body is not repeated.
void run_reductions_early(Schedule& schedule);

}  // namespace thunkvm
