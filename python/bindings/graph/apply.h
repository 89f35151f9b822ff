// apply.h: nodes of the graph as Python objects.
#pragma once

#include "ops/graph/variable.h"
#include "python/bindings/python/python.h"

namespace thunkvm {

/// A new reference to a Python `Apply` for this node, which it keeps alive. Two of them for one
/// node are equal.
PyObject* wrap_node(Apply* node);
bool is_node(PyObject* object);
/// The node of an object for which `is_node` holds. Throws Error(Runtime) if the garbage collector
/// took it, which only what is collected with it can see.
Apply& unwrap_node(PyObject* object);

}  // namespace thunkvm
