// interruption.h: Python's signal handlers end the work of the layers below that is no call.
#pragma once

#include "python/bindings/python/python.h"

namespace thunkvm {

void init_interruption(PyObject* module);

}  // namespace thunkvm
