// expressions.h: functions that begin and build graphs: leaves, built-in Ops, conditionals.
#pragma once

#include "python/bindings/python/python.h"

namespace thunkvm {

/// input_variable, constant, as_variable, op, op_names, op_protos, conditional, lazy_and, ...
void init_expressions(PyObject* module);

}  // namespace thunkvm
