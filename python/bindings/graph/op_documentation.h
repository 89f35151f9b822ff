// op_documentation.h: the signature of an Op's Python function, from its prototype.
#pragma once

#include "ops/graph/registry.h"
#include "python/bindings/python/python.h"

#include <string>

namespace thunkvm {

/// Whether the Op's one attribute may be given by position too, after its inputs: cast(x, "int64").
/// Where there are more, or inputs that may be left out, attributes go by keyword.
bool attribute_by_position(const OpProto& proto);
/// "(x, /, *, axis=None, keepdims=False)"
std::string op_signature_text(const OpProto& proto);
/// What a function of `thunkvm._src.graph.op_docs` makes of the prototype: "docstring" or
/// "signature", an `inspect.Signature`.
PyRef described(const OpProto& proto, const char* by);

}  // namespace thunkvm
