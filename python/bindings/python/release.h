// release.h: letting go of Python objects from any thread, and asking for the GIL there.
#pragma once

#include "python/bindings/python/python.h"

#include <atomic>
#include <utility>

namespace thunkvm {

/// True if the calling thread holds the GIL.
bool holds_gil() noexcept;

/// Holds the GIL for as long as it lives, whether the calling thread of Python held it or not.
class GilHold {
 public:
  GilHold() : state_(PyGILState_Ensure()) {}
  ~GilHold() { PyGILState_Release(state_); }
  GilHold(const GilHold&) = delete;
  GilHold& operator=(const GilHold&) = delete;

 private:
  PyGILState_STATE state_;
};

/// Gives up one reference to a Python object: at once where the calling thread holds the GIL, else
/// the object is queued and dropped when a thread of ours takes the GIL again, or by the Python
/// interpreter, whichever comes first.
void release_object(void* object) noexcept;

#if PY_VERSION_HEX < 0x030C0000
/// For as long as it lives, a thread inside a call is known by its thread state, so that asking
/// whether it holds the GIL costs little. Made with the GIL held.
class CallingThread {
 public:
  CallingThread() : before_(std::exchange(current_, PyThreadState_Get())) {}
  ~CallingThread() { current_ = before_; }
  CallingThread(const CallingThread&) = delete;
  CallingThread& operator=(const CallingThread&) = delete;
  /// The calling thread's state if it is inside a call, else null.
  static PyThreadState* current() { return current_; }

 private:
  [[gnu::tls_model("initial-exec")]] static constinit thread_local PyThreadState* current_;
  PyThreadState* before_;
};
#else
class CallingThread {};  // Python knows each thread's state itself
#endif

extern std::atomic<bool> releases_waiting;
void drain_queue() noexcept;

/// Drops what was queued. Needs the GIL; one load where nothing was.
inline void drain_released() noexcept {
  if (releases_waiting.load(std::memory_order_relaxed)) [[unlikely]]
    drain_queue();
}

}  // namespace thunkvm
