// shared.h: shared variables: values that functions keep between calls.
#pragma once

#include "python/bindings/python/python.h"

namespace thunkvm {

void init_shared(PyObject* module);

}  // namespace thunkvm
