// function_methods.h: what a Function tells of itself, and what is recorded of it.
#pragma once

#include "python/bindings/python/python.h"

namespace thunkvm {

/// Adds the methods and properties of Functions that are not on a call's path.
void init_function_methods(PyObject* module);

}  // namespace thunkvm
