// implementation.h: one way in which a node runs, as an object of Python's that runs it alone: for
// checks that hold the ways of a node against each other.
#pragma once

#include "python/bindings/python/python.h"

namespace thunkvm {

/// Adds `implementations(node, performs, c_code)` and the class `Implementation`.
void init_implementation(PyObject* module);

}  // namespace thunkvm
