// demand.h: lazy thunks in straight-line C++: `demand.force(i)` suspends until input i is there.
//
// The lazy body, a C++ function, runs on a fiber (Boost.Context) with a pooled stack, and suspends
// into the interpreter's loop while the input is computed on the thread's own stack. Rules for it:
// no Python; no more stack than kFiberStackBytes (limits.h); no `force` in a destructor. Values
// that must survive a `force` live in locals as usual. It stays on one thread. At most kMaxFibers
// are suspended at once.
#pragma once

#include "thunks/thunk.h"

#include <cstdint>
#include <functional>

namespace thunkvm {

/// The call, as a lazy body sees it.
class Demand {
 public:
  virtual ~Demand() = default;
  virtual int n_inputs() const = 0;
  virtual int n_outputs() const = 0;
  /// The value of input i, computed first if it has to be; immediate from the second time on. The
  /// reference is good until the lazy body returns. If the input failed, throws its exception, each
  /// time: a body may catch it and go on with other inputs, or let it pass. If the call ends
  /// meanwhile, or nobody demands more of this thunk, an object that is no std::exception is thrown
  /// through the body, to destroy its locals: let it pass.
  virtual const Cell& force(int i) = 0;
  /// The output that somebody waits for; it may change at a `force`.
  virtual std::uint32_t demanded() const = 0;
  /// The first value counts. Throws Error(Index) if there is no such output.
  virtual void set_output(int j, Cell value) = 0;
  /// Suspends until an output is demanded that is not computed yet. It is for lazy bodies that
  /// compute some outputs first. `force` does it too: it computes nothing for a demand that is met
  /// already.
  virtual void wait() = 0;
};

/// A lazy body: the code of a straight-line lazy thunk. It is called at most once a call, and has
/// to set the demanded output. (ForceBy::Nested calls it again from its start, if it waited for a
/// demand of another output.)
using LazyBody = std::function<void(Demand&)>;

/// How `force` waits. `Fiber` is the default; `Nested` computes the input by running the machine on
/// the native stack, for the sanitizers' builds and for tests.
enum class ForceBy : std::uint8_t { Fiber, Nested };

/// The build's default: Fiber; Nested in builds with a sanitizer, since sanitizers do not follow
/// fibers.
ForceBy default_force();

/// A lazy ThunkCode that runs `body`.
ThunkCode straight_line(LazyBody body, ForceBy force = default_force());

}  // namespace thunkvm
