// testing.h: where the hooks of tests are: `_core._testing`, of which the package knows nothing.
#pragma once

#include "python/bindings/python/python.h"

namespace thunkvm {

/// Adds functions to `_core._testing`, which is made with the first of them. `module` is `_core`.
void add_testing_functions(PyObject* module, PyMethodDef* functions);

}  // namespace thunkvm
