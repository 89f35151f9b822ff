// op_function.h: a Python function for each Op of the registry.
#pragma once

#include "python/bindings/python/python.h"

#include <string_view>

namespace thunkvm {

/// A new reference to the function of an Op: inputs by position or keyword, attributes by keyword.
/// One object for each name. Throws Error(Key) with the nearest name.
PyObject* op_function(std::string_view name);

}  // namespace thunkvm
