// code_regions.h: the blocks of a schedule, as recorders of its program name them.
#pragma once

#include "linkers/schedule/schedule.h"
#include "vm/code_regions.h"

#include <cstdint>
#include <vector>

namespace thunkvm {

/// The regions of a program: the schedule's blocks, under their indices.
CodeRegions regions_of(const Schedule& schedule);

/// By block: true if nothing is computed in it, nor for it elsewhere. Linear.
std::vector<bool> idle_blocks(const Schedule& schedule);

/// By pc of a Need or a Lazy: the node for which it may run a memo or input body; kNone: none.
IndexedVector<Pc, ProgramNode> demanders_of(const Schedule& schedule);

}  // namespace thunkvm
