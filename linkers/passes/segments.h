// segments.h: a pass over schedules for emission: the Runs that share an instruction.
#pragma once

#include "linkers/schedule/schedule.h"

#include <cstdint>

namespace thunkvm {

/// Divides Runs that follow each other into segments of at most `length`; each will be an
/// instruction of its own, and nothing is fused across its border. Linear. Last before the schedule
/// is assembled.
void divide_into_segments(Schedule& schedule, std::uint32_t length);

}  // namespace thunkvm
