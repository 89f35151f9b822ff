#include "python/bindings/call/function_watch.h"

namespace thunkvm {
namespace {

PyObject* watcher = nullptr;

PyObject* watch_functions(PyObject*, PyObject* callable) {
  ++FunctionWatch::number;
  Py_XSETREF(watcher, callable == Py_None ? nullptr : Py_NewRef(callable));
  Py_RETURN_NONE;
}

PyMethodDef functions[] = {
    {"watch_functions", watch_functions, METH_O,
     "watch_functions(callable)\n--\n\nCalls `callable` with each function that is called, once, "
     "before its first call from now on; None: nobody is told."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

bool FunctionWatch::tell(PyObject* function) {
  if (watcher == nullptr) return true;
  return guard([&] {
           PyRef tell = PyRef::borrow(watcher);
           PyRef::take(PyObject_CallOneArg(tell.get(), function));
           return function;
         }) != nullptr;
}

void init_function_watch(PyObject* module) { check(PyModule_AddFunctions(module, functions)); }

}  // namespace thunkvm
