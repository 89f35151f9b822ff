// tracer.h: watchers of the thunks of a call: the one way in for debug modes, profilers and tests.
#pragma once

#include "thunks/thunk.h"

#include <cstdint>

namespace thunkvm {

class Frame;

/// One run of an eager thunk, or one entry of a lazy one.
struct ThunkRun {
  Frame& frame;
  std::uint32_t node;        ///< index in the program; kNone where the thunk is no node's
  const Operands& operands;  ///< its inputs and outputs are registers of the frame
  const LazyCall* lazy;      ///< of a lazy thunk: which inputs are available, which outputs are
                             ///< computed; null for an eager one, where all are
};

/// Told of each thunk around its run. A run without a tracer pays nothing: the interpreter's loop
/// is instantiated with and without, and emitted code tells only where its plan says so
/// (NativeCode::traced); other emitted code is not used while there is a tracer.
///
/// A tracer belongs to one call. Runs nest only where a lazy thunk computes an input within itself
/// (LazyCall::compute_now). Programs whose tracers read inputs after the run are linked with
/// `LinkOptions::traced`, so that no thunk takes over the memory of an input that dies.
///
/// An exception of a member fails the call at that node.
class Tracer {
 public:
  virtual ~Tracer() = default;
  /// The thunk is about to run, or to be entered.
  virtual void before(const ThunkRun& run) = 0;
  /// It did; its outputs are in their registers, and so are its inputs still. Emitted code that
  /// fails does not come to this.
  virtual void after(const ThunkRun& run, Status status) = 0;
};

}  // namespace thunkvm
