#include "python/bindings/python/release.h"

#include "python/bindings/python/python.h"

#include <atomic>
#include <mutex>
#include <vector>

namespace thunkvm {
namespace {

struct Queue {
  std::mutex mutex;
  std::vector<PyObject*> objects;
};
Queue& queue() {
  static Queue* queue = new Queue;  // outlives every thread
  return *queue;
}

int drain_pending(void*) {
  drain_released();
  return 0;
}

}  // namespace

#if PY_VERSION_HEX < 0x030C0000
constinit thread_local PyThreadState* CallingThread::current_ = nullptr;
#endif

bool holds_gil() noexcept {
#if PY_VERSION_HEX >= 0x030D0000
  return PyThreadState_GetUnchecked() != nullptr;  // the thread's own
#elif PY_VERSION_HEX >= 0x030C0000
  return _PyThreadState_UncheckedGet() != nullptr;  // the thread's own
#else
  // That of whichever thread holds the GIL. PyGILState_Check, which knows any thread's, takes 47
  // instructions.
  PyThreadState* const thread = CallingThread::current();
  return thread != nullptr ? thread == _PyThreadState_UncheckedGet() : PyGILState_Check() != 0;
#endif
}

std::atomic<bool> releases_waiting{false};

void release_object(void* object) noexcept {
  if (holds_gil()) {
    Py_DECREF(static_cast<PyObject*>(object));
    return;
  }
  Queue& q = queue();
  {
    std::lock_guard lock(q.mutex);
    q.objects.push_back(static_cast<PyObject*>(object));
  }
  // The interpreter is asked once for a full queue; where its list of pending calls is full, our
  // next call drains it.
  if (!releases_waiting.exchange(true)) Py_AddPendingCall(drain_pending, nullptr);
}

void drain_queue() noexcept {
  Queue& q = queue();
  std::vector<PyObject*> objects;
  {
    std::lock_guard lock(q.mutex);
    objects.swap(q.objects);
    releases_waiting.store(false);
  }
  // Outside the lock: a destructor may run any code. It must not see, or lose, an exception that is
  // pending.
  PyObject *type, *value, *traceback;
  PyErr_Fetch(&type, &value, &traceback);
  for (PyObject* object : objects) Py_DECREF(object);
  PyErr_Restore(type, value, traceback);
}

}  // namespace thunkvm
