// graph.h: functions that build, walk and transform graphs.
#pragma once

#include "python/bindings/python/python.h"

namespace thunkvm {

/// input_variable, constant, as_variable, op, op_names, op_protos, conditional, lazy_and, lazy_or,
/// gradients, pull_back, jacobian, vectorize, substitute, topological_order, leaves.
void init_graph(PyObject* module);

}  // namespace thunkvm
