// op_documentation.h: the signature and the docstring of an Op's Python function, from its
// prototype.
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
/// An `inspect.Signature`.
PyRef op_signature(const OpProto& proto);
/// In NumPy's style: summary, details, Parameters, Returns, Examples.
std::string op_docstring(const OpProto& proto);
/// op_names, op_protos, exposed_ops
void init_op_documentation(PyObject* module);

}  // namespace thunkvm
