// segments.h: a pass over schedules that emission wants: which Runs are one instruction.
#pragma once

#include "linkers/schedule/schedule.h"

#include <cstdint>

namespace thunkvm {

/// Divides Runs that follow each other into segments of at most `length`; each will be an
/// instruction of its own, across whose border nothing is fused. Linear. Last before the schedule
/// is assembled.
void divide_into_segments(Schedule& schedule, std::uint32_t length);

}  // namespace thunkvm
