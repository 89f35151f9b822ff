// needs_ahead.h: a pass over schedules that emission wants: memo bodies are run before the thunks
// that need them, so that the thunks follow each other and may become one loop.
#pragma once

#include "linkers/schedule/schedule.h"

namespace thunkvm {

/// Moves the Needs of Runs to the front of the stretch that they stand in, which a Branch, an arm's
/// end or a number of thunks ends: all of it will run. A memo body reads nothing of the stretch: it
/// hangs under a block further out. Linear. Before the schedule is assembled.
void run_needs_ahead(Schedule& schedule);

}  // namespace thunkvm
