// needs_ahead.h: a pass over schedules for emission: memo bodies run before the thunks that need
// them, so that the thunks follow each other and may become one nest.
#pragma once

#include "linkers/schedule/schedule.h"

namespace thunkvm {

/// Moves the Needs of Runs to the front of their stretch. A Branch, an arm's end or a number of
/// thunks ends a stretch: all of it will run. A memo body reads nothing of the stretch: it hangs
/// under a block further out. Linear. Before the schedule is assembled.
void run_needs_ahead(Schedule& schedule);

}  // namespace thunkvm
