#include "python/bindings/python/host.h"

#include "python/bindings/python/limits.h"
#include "python/bindings/python/raised.h"
#include "python/bindings/python/release.h"
#include "vm/frame.h"

namespace thunkvm {
namespace {

struct ErrorState {
  PyObject* variable;  ///< NumPy's context variable
  PyObject* ignore;    ///< what `errstate(all="ignore")` sets it to
};

const ErrorState& error_state() {
  static const ErrorState state = [] {
    PyRef umath = PyRef::take(PyImport_ImportModule("numpy._core.umath"));
    PyRef make = attribute(umath.get(), "_make_extobj");
    PyRef none = PyRef::take(PyTuple_New(0));
    PyRef all = PyRef::take(Py_BuildValue("{s:s}", "all", "ignore"));
    PyRef ignore = PyRef::take(PyObject_Call(make.get(), none.get(), all.get()));
    return ErrorState{attribute(umath.get(), "_extobj_contextvar").release(), ignore.release()};
  }();
  return state;
}

std::uint64_t left = 0;  // under the GIL

}  // namespace

std::uint64_t PythonHost::times_left() { return left; }

void PythonHost::go() {
  ++left;
  thread_ = PyEval_SaveThread();
}

void PythonHost::take_gil() {
  stays_away_ = false;
  Recorder* const recorder = frame_ == nullptr ? nullptr : frame_->recorder();
  const std::uint64_t before = recorder == nullptr ? 0 : Clock::now();
  PyEval_RestoreThread(thread_);
  if (recorder != nullptr) recorder->waited(Clock::now() - before);
  thread_ = nullptr;
  drain_released();
  since_ = std::chrono::steady_clock::now();
}

bool PythonHost::interrupted() {
  const auto now = std::chrono::steady_clock::now();
  const bool was_away = stays_away_;
  if (was_away) {
    if (now - since_ < kSignalInterval) return false;
    come_back();
  }
  if (PyErr_CheckSignals() != 0) {
    interruption_ = take_exception();
    return true;
  }
  if (since_ == std::chrono::steady_clock::time_point{}) {
    since_ = now;
  } else if (was_away || (may_stay_away_ && now - since_ > kWorthStaying)) {
    go();
    stays_away_ = true;
    since_ = now;
  } else if (now - since_ > kSwitchInterval) {
    go();
    come_back();
  }
  return false;
}

void PythonHost::note_copy() {
  Recorder* const recorder = frame_ == nullptr ? nullptr : frame_->recorder();
  if (recorder != nullptr) recorder->note_copy();
}

void PythonHost::begin_ignoring() {
  const ErrorState& state = error_state();
  errors_ignored_ = PyContextVar_Set(state.variable, state.ignore);
  if (errors_ignored_ == nullptr) throw PythonError{};
}

void PythonHost::end_ignoring() noexcept {
  PyObject* token = std::exchange(errors_ignored_, nullptr);
  const PendingAside aside;
  if (PyContextVar_Reset(error_state().variable, token) != 0) PyErr_WriteUnraisable(token);
  Py_DECREF(token);
}

}  // namespace thunkvm
