// host.h: the Python process, as the machine asks it.
#pragma once

#include "python/bindings/python/python.h"
#include "python/bindings/python/raised.h"
#include "thunks/host.h"

#include <chrono>
#include <cstdint>
#include <utility>

namespace thunkvm {

class Frame;

/// Lets the GIL go around long kernels, and for the rest of a call that runs no Python once it has
/// lasted `kWorthStaying`. Asks Python's signal handlers whether to stop, and keeps
/// NumPy's floating-point warnings off while the NumPy implementations of built-in Ops run (a
/// kernel gives none either).
///
/// One for each call or wait, on its thread's stack; made and destroyed with the GIL held.
class PythonHost : public Host {
 public:
  PythonHost() = default;
  /// For a call in `frame`; `may_stay_away`: nothing in it needs the GIL.
  explicit PythonHost(Frame& frame, bool may_stay_away = false)
      : frame_(&frame), may_stay_away_(may_stay_away) {}
  ~PythonHost() override {
    come_back();
    if (errors_ignored_ != nullptr) heed_float_errors();
  }
  PythonHost(const PythonHost&) = delete;
  PythonHost& operator=(const PythonHost&) = delete;

  void leave() final {
    if (thread_ == nullptr) go();
  }
  void enter() final {
    if (!stays_away_) come_back();
  }
  /// Takes the GIL, if this thread does not hold it. To be called before a call's results are read.
  void come_back() {
    if (thread_ != nullptr) take_gil();
  }
  /// Runs the signal handlers; what they raise is kept, for `interruption`. Lets other threads have
  /// the GIL if we had it long.
  bool interrupted() final;
  /// The exception that a signal handler raised; null where none did.
  PyRef& interruption() { return interruption_; }

  /// How often hosts left, since the process began.
  static std::uint64_t times_left();

  /// The thunk that runs copies an input, since it overwrites it and others may still read it.
  void note_copy();

  /// As `numpy.errstate(all="ignore")`, from here on: before a built-in Op's `perform`. Throws
  /// PythonError.
  void ignore_float_errors() {
    if (errors_ignored_ == nullptr) begin_ignoring();
  }
  /// The caller's own error state again: before a user's code.
  void heed_float_errors() {
    if (errors_ignored_ != nullptr) end_ignoring();
  }

 private:
  void go();
  void take_gil();
  void begin_ignoring();
  void end_ignoring() noexcept;

  PyThreadState* thread_ = nullptr;     ///< of this thread, while it does not hold the GIL
  PyObject* errors_ignored_ = nullptr;  ///< the token that brings the caller's error state back
  PyRef interruption_;
  Frame* frame_ = nullptr;
  bool may_stay_away_ = false;
  bool stays_away_ = false;  ///< `enter` leaves the GIL to others
  /// When this thread took the GIL, or let it go to stay away; of a call, its first question.
  std::chrono::steady_clock::time_point since_{};
};

/// The result of `work(host)`, which may wait for compilers; an exception of a signal's handler
/// ends the wait.
template <class Work>
auto interruptible(const Work& work) {
  PythonHost host;
  try {
    return work(host);
  } catch (const Error&) {
    if (!host.interruption()) throw;
    set_exception(std::move(host.interruption()));
    throw PythonError{};
  }
}

}  // namespace thunkvm
