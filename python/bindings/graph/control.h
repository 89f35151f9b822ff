// control.h: conditionals, loops and attempts of Variables, for Python.
#pragma once

#include "python/bindings/python/python.h"

namespace thunkvm {

/// conditional, loop, loop_about, loop_body, lazy_and, lazy_or, attempt
void init_control(PyObject* module);

}  // namespace thunkvm
