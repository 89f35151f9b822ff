// compiling.h: native modules, how they are compiled, and where they are kept, for Python.
#pragma once

#include "linkers/compiler/compiler.h"
#include "python/bindings/python/python.h"

namespace thunkvm {

/// The module of a NativeModule. Throws Error(Type) for anything else.
ModulePtr native_module(PyObject* object);

}  // namespace thunkvm
