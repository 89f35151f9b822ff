// compile_error.h: an error between a C source and a loaded module, as thunkvm.CompileError.
#pragma once

#include "linkers/compiler/compile_error.h"
#include "python/bindings/python/python.h"

namespace thunkvm {

/// Makes it the pending Python exception: a thunkvm.NoCompilerError where nothing can be compiled,
/// else a thunkvm.CompileError.
void set_compile_error(const CompileError& error);

}  // namespace thunkvm
