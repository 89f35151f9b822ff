#include "python/bindings/call/first_calls.h"

namespace thunkvm {
namespace {

PyObject* listener = nullptr;

}  // namespace

void FirstCalls::set(PyObject* callable) {
  ++number;
  Py_XSETREF(listener, callable == Py_None ? nullptr : Py_NewRef(callable));
}

bool FirstCalls::tell(PyObject* function) {
  if (listener == nullptr) return true;
  return guard([&] {
           PyRef tell = PyRef::borrow(listener);
           PyRef::take(PyObject_CallOneArg(tell.get(), function));
           return function;
         }) != nullptr;
}

}  // namespace thunkvm
