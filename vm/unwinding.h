// unwinding.h: the way on after a failure in a call.
#pragma once

#include "thunks/thunk.h"
#include "vm/frame.h"
#include "vm/indices.h"

#include <cstddef>
#include <cstdint>

namespace thunkvm {

/// Winds a failed call down to the thunk that goes on, or to its end. It names the node, ends the
/// bodies that were begun, and tells the innermost lazy thunk that waits for the failed input.
class Unwinding {
 private:
  friend class Interpreter;
  friend class NativeSupport;

  /// Names the node in the failure, unless another node that this one requested failed.
  static Status fail_at(Frame& frame, ProgramNode node);
  /// Ends a call at a segment whose steps from `from` on were counted and did not run.
  static Status stop_segment(Frame& frame, const Instruction& instruction, StepIndex from);
  /// A body that failed before is demanded again.
  static Status fail_again(Frame& frame, std::uint32_t body);
  /// A lazy thunk failed, or did not handle the failure of an input: raises that failure.
  static Status fail_lazy(Frame& frame, std::uint32_t lazy);
  /// Tells a lazy thunk of the failure of the input that it waits for.
  static Status raise(Frame& frame, std::uint32_t lazy, LazyCall& call);
  /// The pc at which a failed call goes on: that of the innermost lazy thunk above `base` that
  /// waits for the failed input. None if none does.
  static Pc wind_down(Frame& frame, std::size_t base);
};

}  // namespace thunkvm
