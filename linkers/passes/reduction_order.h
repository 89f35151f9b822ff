// reduction_order.h: a pass over schedules for emission: an array is reduced soon after it is
// computed.
#pragma once

#include "linkers/schedule/schedule.h"

namespace thunkvm {

/// Moves the Runs of reductions, and of elementwise nodes that only reductions read, up. Each goes
/// right behind the last statement of its block on which it depends, past branches too, with the
/// Needs that it waits for. Then a node behind a conditional may be a member of the nest in front
/// of it, and arrays die earlier. A Run that depends on nothing in its block stays.
///
/// A Run stays in its block, so it runs in the same calls. Linear. It comes before the lifetimes
/// (lifetimes.h), and the graph is placed: a block has no two Needs of one memo body.
void run_reductions_early(Schedule& schedule);

}  // namespace thunkvm
