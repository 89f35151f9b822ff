// hoisted_scalars.h: numbers that need no loop.
#pragma once

#include "linkers/codegen/plan/plan.h"

#include <cstdint>
#include <vector>

namespace thunkvm {

/// The steps of [first, end), a segment, that compute a number of nothing that the segment computes
/// but other such: they may come before all the others, and so divide no loop. In order.
std::vector<std::uint32_t> hoisted_scalars(const Plan& plan, std::uint32_t first,
                                           std::uint32_t end);

}  // namespace thunkvm
