// function_object.h: the type Function, whose objects own a PythonFunction.
#pragma once

#include "python/bindings/python/python.h"

#include <memory>

namespace thunkvm {

class PythonFunction;

extern PyTypeObject* function_class;
bool is_function(PyObject* object);
/// The function of an object for which `is_function` holds. Throws Error(Runtime) where the garbage
/// collector took it.
PythonFunction& function_of(PyObject* self);

/// A new `Function` object that owns `function`.
PyObject* wrap_function(std::unique_ptr<PythonFunction> function);

}  // namespace thunkvm
