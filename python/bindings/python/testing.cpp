#include "python/bindings/python/testing.h"

namespace thunkvm {

void add_testing_functions(PyObject* module, PyMethodDef* functions) {
  check(PyModule_AddFunctions(attribute(module, "_testing").get(), functions));
}

}  // namespace thunkvm
