// lifetimes.h: where each register of a schedule is let go.
#pragma once

#include "linkers/schedule/schedule.h"
#include "ops/graph/regions.h"

namespace thunkvm {

/// Writes into a placed schedule what dies where, which is found here and nowhere else. The
/// schedule is in the order in which it will run: a pass that moves Runs comes before, one that
/// moves Needs up, within what surely runs, may come after.
///
/// A value is let go once, after the last statement of the region that defines it from which it can
/// be touched; what the caller gets and what it gives (inputs, constants) is kept. A Run lists what
/// dies in it, a Move takes its source, and what is let go after any other statement has a Retire.
/// Where the last statement is a branch with few arms, the value dies in the arms: after the last
/// touch there, or at the entry of an arm that does not touch it; a selector for which that is so
/// in every arm dies in the branch. What a memo body reads, or an input of a lazy thunk, is touched
/// by whoever may enter that: until the last statement that reads what the memo body computes, or
/// the last that demands the thunk. A lazy thunk with several outputs, of which some may never be
/// computed, gets a Release after its last demand.
///
/// `regions` are those of the placement, which blocks name. Near-linear in touches.
void let_go(Schedule& schedule, const RegionTree& regions);

}  // namespace thunkvm
