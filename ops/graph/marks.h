// marks.h: what walks of a graph that others may interrupt have to know of `Apply::mark`.
#pragma once

namespace thunkvm {

/// `poll_interrupt`, for a walk that reads marks: true if graphs were walked meanwhile, so that the
/// walk has to mark its nodes again.
bool poll_lost_marks();

}  // namespace thunkvm
