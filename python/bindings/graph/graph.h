// graph.h: functions that walk, transform and differentiate graphs.
#pragma once

#include "python/bindings/python/python.h"

namespace thunkvm {

/// gradients, jacobian, vectorize, substitute, topological_order, leaves, ...
void init_graph(PyObject* module);

}  // namespace thunkvm
