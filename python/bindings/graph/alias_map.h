// alias_map.h: the `view_map` and `destroy_map` of a user's Op.
#pragma once

#include "ops/graph/op.h"
#include "python/bindings/python/python.h"

#include <cstddef>
#include <string>

namespace thunkvm {

/// The attribute {output: [inputs]} of this name, as Theano's Ops declare it, in order; empty where
/// there is none. `op` is the Op's name, for messages. Throws Error for what is no such dict.
AliasMap alias_map(PyObject* object, const std::string& op, const char* name);

/// Throws Error(Value) where the map names an input or output that such a node has not; `what` is
/// "[Scale] view_map".
void check_alias_map(const AliasMap& map, const std::string& what, std::size_t n_inputs,
                     std::size_t n_outputs);

}  // namespace thunkvm
