// joined_branches.h: the conditionals that are decided together.
#pragma once

#include "linkers/schedule/placement.h"

#include <vector>

namespace thunkvm {

/// By value: the conditional whose branch decides this one too; itself if none does. Conditionals
/// of one key in one region become one branch, that of the last of them, if no statement between
/// them touches a value of the earlier one. Near-linear in values and their uses.
std::vector<Value> join_branches(const FlatGraph& graph, const Placement& placement);

}  // namespace thunkvm
