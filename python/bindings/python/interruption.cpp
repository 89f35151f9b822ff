// interruption.cpp: Python's signal handlers end the work of the layers below that is no call.
#include "python/bindings/python/raised.h"
#include "python/bindings/python/release.h"
#include "python/bindings/python/topics.h"
#include "thunks/interrupt.h"

namespace thunkvm {
namespace {

// Graphs are built, differentiated and linked by threads that hold the GIL; what else asks is a
// thread of the machine's, which no handler can reach.
void end_if_interrupted() {
  if (!holds_gil()) return;
  if (Interruption::waits()) {
    Interruption::set();
    throw PythonError{};
  }
  check(PyErr_CheckSignals());
}

}  // namespace

constinit thread_local PyObject* Interruption::exception_ = nullptr;

void Interruption::keep() noexcept {
  if (waits()) {
    PyErr_WriteUnraisable(exception_);
  } else {
    exception_ = take_exception().release();
  }
}

void Interruption::set() noexcept {
  PyErr_Clear();
  set_exception(PyRef::adopt(std::exchange(exception_, nullptr)));
}

void init_interruption(PyObject*) { set_interrupt_hook(end_if_interrupted); }

}  // namespace thunkvm
