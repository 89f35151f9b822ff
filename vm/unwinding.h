// unwinding.h: the way of a call on from a failure.
#pragma once

#include "thunks/thunk.h"
#include "vm/frame.h"

#include <cstddef>
#include <cstdint>

namespace thunkvm {

/// Winds a failed call down to where it goes on, or to its end: the node is named, the
/// bodies that were begun end, and the innermost lazy thunk that waits for what failed is
/// told.
class Unwinding {
 private:
  friend class Interpreter;
  friend class NativeSupport;

  /// Names the node in the failure, unless the failure is another node's that this one has
  /// requested.
  static Status fail_at(Frame& frame, std::uint32_t node);
  /// Ends a call at a segment whose steps from `from` on were counted and did not run.
  static Status stop_segment(Frame& frame, const Instruction& instruction, std::uint32_t from);
  /// A body that failed before is demanded again.
  static Status fail_again(Frame& frame, std::uint32_t body);
  /// A lazy thunk failed, or did not deal with the failure of an input: then that is what is
  /// raised.
  static Status fail_lazy(Frame& frame, std::uint32_t lazy);
  /// Tells a lazy thunk of the failure of the input that it waits for.
  static Status raise(Frame& frame, std::uint32_t lazy, LazyCall& call);
  /// Where a failed call goes on: at the innermost lazy thunk above `base` that waits for what
  /// failed. kNone: none does.
  static std::uint32_t wind_down(Frame& frame, std::size_t base);
};

}  // namespace thunkvm
