#include "python/bindings/call/function_watch.h"

namespace thunkvm {
namespace {

PyObject* watcher = nullptr;

}  // namespace

void FunctionWatch::set(PyObject* callable) {
  ++number;
  Py_XSETREF(watcher, callable == Py_None ? nullptr : Py_NewRef(callable));
}

bool FunctionWatch::tell(PyObject* function) {
  if (watcher == nullptr) return true;
  return guard([&] {
           PyRef tell = PyRef::borrow(watcher);
           PyRef::take(PyObject_CallOneArg(tell.get(), function));
           return function;
         }) != nullptr;
}

}  // namespace thunkvm
