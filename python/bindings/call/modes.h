// modes.h: the core's tables of linkers and modes, for Python's Mode.
#pragma once

#include "python/bindings/python/python.h"

namespace thunkvm {

void init_modes(PyObject* module);

}  // namespace thunkvm
