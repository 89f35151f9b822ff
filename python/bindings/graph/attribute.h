// attribute.h: the attributes of built-in Ops as Python values.
#pragma once

#include "ops/graph/registry.h"
#include "python/bindings/python/python.h"

namespace thunkvm {

/// An attribute as a caller gave it, as a value of its type where that can be; ranges and
/// allowed values are OpProto::check's. Throws Error(Type) that names Op, attribute, value and
/// rule.
AttrValue attribute_value(const OpProto& proto, const AttrProto& attr, PyObject* given);

/// None, bool, int, float, str, a list of them; a dtype by its name; a graph as (inputs, outputs).
PyRef attribute_object(const AttrValue& value);
/// {name: value}
PyRef attribute_dict(const Attributes& attributes);

}  // namespace thunkvm
