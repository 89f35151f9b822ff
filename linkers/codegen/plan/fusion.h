// fusion.h: which steps of a segment become one nest.
#pragma once

#include "linkers/codegen/plan/plan.h"

#include <span>
#include <vector>

namespace thunkvm {

/// The groups that the steps of a segment are computed in, in order. `runs`: its statements. The
/// plan has found forms, lengths and rematerialised views.
std::vector<Group> fuse(const Plan& plan, std::span<const Statement> runs);

}  // namespace thunkvm
