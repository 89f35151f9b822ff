// input_failure.h: thunks that may go on after an input failed.
//
// A body that failed stays failed in its call: each later demand gets the same failure. A lazy
// thunk may handle the failure of an input, and then the call goes on. Otherwise the failure goes
// to the thunk that waits for it, and at last to the caller.
#pragma once

#include "thunks/thunk.h"

namespace thunkvm {

/// The second base of a lazy BoundThunk that may go on after an input failed.
class FailureHandler {
 public:
  virtual ~FailureHandler() = default;
  /// Called in place of `BoundThunk::enter`, after a requested input failed. The inputs that it
  /// requested after that one have not been computed. It may set outputs and request inputs, as
  /// when it is entered. If it requests this input, it is told again. Done: it has handled the
  /// failure. Failed: it has not, and the failure in the activation counts.
  virtual Status raised(LazyCall& call, int input, const Failure& failure) = 0;
};

/// True if a failure ends the call without a thunk being told of it: ErrorKind::Interrupted.
bool is_final(const Failure& failure) noexcept;

}  // namespace thunkvm
