// tracer.h: the interface that is told of the thunks of a call: checking modes and tests use it.
#pragma once

#include "thunks/thunk.h"
#include "vm/indices.h"

namespace thunkvm {

class Frame;

/// One run of an eager thunk, or one entry of a lazy one.
struct ThunkRun {
  Frame& frame;
  ProgramNode node;          ///< index in the program; kNone if the thunk is no node's
  const Operands& operands;  ///< its inputs and outputs are registers of the frame
  const LazyCall* lazy;  ///< of a lazy thunk: its available inputs and computed outputs; null for
                         ///< an eager one, which has all
};

/// Told of each thunk around its run. A run without a tracer pays nothing: the interpreter's loop
/// is instantiated with and without one. Emitted code tells a tracer only if its plan says so
/// (NativeCode::traced); other emitted code is not used while there is a tracer.
///
/// A tracer belongs to one call. Runs nest only if a lazy thunk computes an input within itself
/// (LazyCall::compute_now). Programs whose tracers read inputs after the run are linked with
/// `LinkOptions::traced`, so that no thunk takes over the memory of an input that dies.
///
/// An exception of a member fails the call at that node.
class Tracer {
 public:
  virtual ~Tracer() = default;
  /// The thunk is about to run, or to be entered.
  virtual void before(const ThunkRun& run) = 0;
  /// The thunk ran: its outputs are in their registers, and its inputs are still there. Emitted
  /// code that fails does not call this.
  virtual void after(const ThunkRun& run, Status status) = 0;
};

}  // namespace thunkvm
