// logging.h: the C++ logger, forwarded to Python's logging.
#pragma once

#include "python/bindings/python/python.h"

namespace thunkvm {

/// From here on, what the C++ layers log goes to `logging.getLogger("thunkvm")`, whose level and
/// handlers decide.
void init_logging(PyObject* module);

}  // namespace thunkvm
