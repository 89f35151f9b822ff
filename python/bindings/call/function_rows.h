// function_rows.h: rows about a function's nodes, for Python to make reports of.
#pragma once

#include "python/bindings/python/python.h"

namespace thunkvm {

class PythonFunction;

/// For each node that may run: (node, Op, form, where it was made, how often it ran).
PyRef node_rows(PythonFunction& function);
/// For each node that may run: (form, where in the emitted code, why it is nothing better).
PyRef node_form_rows(PythonFunction& function);
/// (runs of each node, by branch how often it took each arm).
PyRef node_counts(PythonFunction& function);

}  // namespace thunkvm
