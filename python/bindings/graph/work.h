// work.h: the cost of a run of a built-in Op's node, as Python asks for it.
#pragma once

#include "python/bindings/python/python.h"

namespace thunkvm {

void init_work(PyObject* module);

}  // namespace thunkvm
