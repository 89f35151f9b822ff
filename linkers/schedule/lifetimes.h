// lifetimes.h: the statement after which each register of a schedule is emptied.
#pragma once

#include "linkers/schedule/schedule.h"
#include "ops/graph/regions.h"

#include <cstdint>
#include <span>

namespace thunkvm {

/// Writes the lifetimes of registers into a placed schedule; no other code finds them. The schedule
/// is in the order in which it will run. A pass that moves Runs comes before. A pass that moves
/// Needs up, past statements that surely run, may come after.
///
/// A value dies once: after the last statement of its defining region that can lead to a touch of
/// it. Outputs, constants and inputs are kept, but for mutable inputs, which the root defines; one
/// that nothing touches is kept too. A Run lists the registers that die in it, a Move takes its
/// source, and a Retire follows any other statement. If the last statement is a branch with few
/// arms, the value dies in the arms: after the last touch there, or at the entry of an arm that
/// does not touch it. A selector that no arm touches dies in the branch. The registers that a memo
/// body or an input of a lazy thunk reads are touched by all statements that may enter it: up to
/// the last reader of the memo body's value, or the last demand of the thunk. A lazy thunk with
/// several outputs, some of which may never be computed, gets a Release after its last demand.
///
/// `regions` are those of the placement, to which blocks refer. `mutable_inputs` are positions in
/// the inputs. Near-linear in touches.
void let_go(Schedule& schedule, const RegionTree& regions,
            std::span<const std::uint32_t> mutable_inputs = {});

}  // namespace thunkvm
