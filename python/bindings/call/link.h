// link.h: from a graph of Variables to a Function.
#pragma once

#include "python/bindings/python/python.h"

namespace thunkvm {

void init_link(PyObject* module);

}  // namespace thunkvm
