// cache.h: the module cache's list, for `python -m thunkvm cache`.
#pragma once

#include "python/bindings/python/python.h"

namespace thunkvm {

void init_cache(PyObject* module);

}  // namespace thunkvm
