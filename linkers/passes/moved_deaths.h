// moved_deaths.h: where the values die that a Run let go before it moved up.
#pragma once

#include "linkers/schedule/schedule.h"

#include <cstdint>
#include <span>

namespace thunkvm {

/// A Run that a pass has moved up within its block. All that stood in front of it still is in front
/// of `stood`, the statement behind its old place.
struct MovedRun {
  std::uint32_t now, stood;
};

/// Sees to it that what dies in these Runs is let go where it is touched last: in another Run, in a
/// Branch or a Move that takes it, or in a Retire. Where a branch with few arms touches it last it
/// dies in these, as lifetimes.h has it. In a Run that nothing touches it behind it still dies
/// there, now earlier. `moved` in the order of `stood`. Near-linear.
void let_go_late(Schedule& schedule, std::span<const MovedRun> moved);

}  // namespace thunkvm
