#include "python/bindings/python/testing.h"

namespace thunkvm {

void add_testing_functions(PyObject* module, PyMethodDef* functions) {
  PyRef testing = attribute_or_null(module, "_testing");
  if (!testing) {
    testing = PyRef::take(PyModule_New("thunkvm._core._testing"));
    check(PyModule_AddObjectRef(module, "_testing", testing.get()));
  }
  check(PyModule_AddFunctions(testing.get(), functions));
}

}  // namespace thunkvm
