// attempt.h: attempts that catch Python exceptions of certain classes.
#pragma once

#include "python/bindings/python/python.h"

namespace thunkvm {

void init_attempt(PyObject* module);

}  // namespace thunkvm
