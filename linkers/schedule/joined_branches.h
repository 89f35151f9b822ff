// joined_branches.h: which conditionals are decided together.
#pragma once

#include "linkers/schedule/placement.h"

#include <vector>

namespace thunkvm {

/// By value: the conditional whose branch decides this one too; itself if none does. Conditionals
/// of one key that sit in one region become one branch, that of the last of them, where nothing
/// between them touches what the earlier one defines. Near-linear in values and their uses.
std::vector<Value> join_branches(const FlatGraph& graph, const Placement& placement);

}  // namespace thunkvm
