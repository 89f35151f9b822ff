// infer_shape.h: `infer_shape` between Python and the machine: shapes as tuples of Variables.
#pragma once

#include "ops/graph/op.h"
#include "python/bindings/python/python.h"

#include <span>
#include <vector>

namespace thunkvm {

/// Calls `method(node, input_shapes)` and reads what it returns: for each output a tuple with a 0-d
/// integer for each axis, or None where it has to be computed to know. Throws Error(Type) and
/// Error(Value) that name the Op, the output and the rule.
std::vector<Extents> call_infer_shape(PyObject* method, Apply& node,
                                      std::span<const Extents> input_shapes);

}  // namespace thunkvm
