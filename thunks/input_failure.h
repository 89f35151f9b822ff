// input_failure.h: thunks that may go on where computing an input failed.
//
// What failed in a call stays failed: who demands it again is given the same failure. A lazy thunk
// whose input failed may deal with that, and then the call goes on; otherwise the failure is passed
// on to whoever waits for the thunk, and at last to the caller.
#pragma once

#include "thunks/thunk.h"

namespace thunkvm {

/// The second base of a lazy BoundThunk that may go on where computing an input failed.
class FailureHandler {
 public:
  virtual ~FailureHandler() = default;
  /// In place of `BoundThunk::enter`, after computing an input that it requested failed; those that
  /// it requested after that one have not been computed. It may set outputs and request inputs, as
  /// when it is entered; if it requests this one, it is told again. Done: it has dealt with the
  /// failure; Failed: it has not, with the failure that it notes in the activation.
  virtual Status raised(LazyCall& call, int input, const Failure& failure) = 0;
};

/// Whether a failure ends the call, and no thunk is told of it: ErrorKind::Interrupted.
bool is_final(const Failure& failure) noexcept;

}  // namespace thunkvm
