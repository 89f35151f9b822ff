// memory.h: the memory pool's use and peak, for Python.
#pragma once

#include "python/bindings/python/python.h"

namespace thunkvm {

void init_memory(PyObject* module);

}  // namespace thunkvm
