// function_object.h: the type Function, whose objects own a PythonFunction.
#pragma once

#include "python/bindings/python/python.h"

#include <memory>

namespace thunkvm {

class PythonFunction;

/// A new `Function` object that owns `function`.
PyObject* wrap_function(std::unique_ptr<PythonFunction> function);

void init_function(PyObject* module);

}  // namespace thunkvm
