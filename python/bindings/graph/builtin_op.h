// builtin_op.h: the Ops of the machine as Python objects.
#pragma once

#include "ops/graph/op.h"
#include "python/bindings/python/python.h"

namespace thunkvm {

/// A new reference to a `BuiltinOp`. Two of them are equal if their names and attributes are.
PyObject* wrap_builtin_op(const Op& op);
bool is_builtin_op(PyObject* object);
/// The Op of an object for which `is_builtin_op` holds.
Ref<const Op> unwrap_builtin_op(PyObject* object);

}  // namespace thunkvm
