// loop_opening.h: whether there is anything to open.
#pragma once

namespace thunkvm {

/// Whether this process ever made a loop: graphs of those that did not are not searched for one.
bool has_loops();

}  // namespace thunkvm
