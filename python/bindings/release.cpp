#include "python/bindings/python.h"

#include "python/bindings/release.h"

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

std::atomic<bool> releases_waiting{false};

void release_object(void* object) noexcept {
  if (PyGILState_Check()) {
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
