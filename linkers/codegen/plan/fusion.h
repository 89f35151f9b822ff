// fusion.h: which steps of a segment become one loop.
#pragma once

#include "linkers/codegen/plan/plan.h"

#include <cstdint>
#include <vector>

namespace thunkvm {

/// The groups that the steps [first_step, end_step) of a segment are computed in, in order. The
/// plan has found forms, lengths and rematerialised views.
std::vector<Group> fuse(const Plan& plan, std::uint32_t first_step, std::uint32_t end_step);

}  // namespace thunkvm
