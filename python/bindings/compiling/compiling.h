// compiling.h: native modules, how they are compiled, and where they are kept, for Python.
#pragma once

#include "linkers/compiler/compile_error.h"
#include "linkers/compiler/compiler.h"
#include "python/bindings/python/python.h"

namespace thunkvm {

/// Makes it the pending Python exception: a thunkvm.NoCompilerError where nothing can be compiled,
/// else a thunkvm.CompileError.
void set_compile_error(const CompileError& error);

/// The module of a NativeModule. Throws Error(Type) for anything else.
ModulePtr native_module(PyObject* object);

void init_compiling(PyObject* module);

}  // namespace thunkvm
