// body_contents.h: the contents of memo and input bodies, found in the schedule that their program
// was assembled from.
#pragma once

#include "linkers/schedule/schedule.h"
#include "vm/body_contents.h"

#include <memory>

namespace thunkvm {

/// The contents of each memo and input body of the schedule's program. A body is within the nearest
/// one around all Needs or Demands that may run it, in a schedule without placement too.
///
/// Making it costs nothing. All of it is found when it is asked for the first time, in near-linear
/// time, once for all threads.
std::shared_ptr<const BodyContents> contents_of(std::shared_ptr<const Schedule> schedule);

}  // namespace thunkvm
