// fusion.h: the steps of a segment that share a nest.
#pragma once

#include "linkers/codegen/plan/plan.h"

#include <span>
#include <vector>

namespace thunkvm {

/// The groups of a segment's steps, in order. `runs`: its statements. The plan has found forms,
/// lengths and rematerialised views.
std::vector<Group> fuse(const Plan& plan, std::span<const Statement> runs);

}  // namespace thunkvm
