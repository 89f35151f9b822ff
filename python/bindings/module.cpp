// module.cpp: thunkvm._core, the extension module: each topic adds itself.
#define THUNKVM_IMPORTS_NUMPY
#include "python/bindings/call/function_object.h"
#include "python/bindings/call/implementation.h"
#include "python/bindings/call/link.h"
#include "python/bindings/call/modes.h"
#include "python/bindings/call/recording_object.h"
#include "python/bindings/call/shared.h"
#include "python/bindings/compiling/cache.h"
#include "python/bindings/compiling/compiling.h"
#include "python/bindings/graph/apply.h"
#include "python/bindings/graph/builtin_op.h"
#include "python/bindings/graph/graph.h"
#include "python/bindings/graph/infer_shape.h"
#include "python/bindings/graph/op_function.h"
#include "python/bindings/graph/origin.h"
#include "python/bindings/graph/type.h"
#include "python/bindings/graph/variable.h"
#include "python/bindings/python/collection.h"
#include "python/bindings/python/host.h"
#include "python/bindings/python/interruption.h"
#include "python/bindings/python/logging.h"
#include "python/bindings/python/python.h"
#include "python/bindings/thunks/attempt.h"
#include "python/bindings/thunks/input_guard.h"
#include "python/bindings/values/memory.h"
#include "python/bindings/values/value.h"

#include <pybind11/pybind11.h>

#include <exception>

namespace {

// What functions bound by pybind11 throw; the raw ones have `guard`.
void translate(std::exception_ptr error) {
  if (error == nullptr) return;
  try {
    std::rethrow_exception(error);
  } catch (...) {
    thunkvm::set_python_error_from_current();
  }
}

}  // namespace

// What the macro defines would wait for ever in a subinterpreter: for the lock that it holds
// itself.
#define PyInit__core init_core_of_main_interpreter
PYBIND11_MODULE(_core, m) {
  m.doc() = "The core of thunkvm: graphs, Ops and functions, in C++.";
  if (PyArray_ImportNumPyAPI() < 0) throw pybind11::error_already_set();
  pybind11::register_local_exception_translator(translate);

  thunkvm::init_origin(m.ptr());
  thunkvm::init_collection(m.ptr());
  thunkvm::init_type(m.ptr());
  thunkvm::init_variable(m.ptr());
  thunkvm::init_apply(m.ptr());
  thunkvm::init_builtin_op(m.ptr());
  thunkvm::init_op_function(m.ptr());
  thunkvm::init_graph(m.ptr());
  thunkvm::init_infer_shape(m.ptr());
  thunkvm::init_attempt(m.ptr());
  thunkvm::init_input_guard(m.ptr());
  thunkvm::init_value(m.ptr());
  thunkvm::init_shared(m.ptr());
  thunkvm::init_function(m.ptr());
  thunkvm::init_recording(m.ptr());
  thunkvm::init_link(m.ptr());
  thunkvm::init_modes(m.ptr());
  thunkvm::init_implementation(m.ptr());
  thunkvm::init_memory(m.ptr());
  thunkvm::init_compiling(m.ptr());
  thunkvm::init_cache(m.ptr());
  thunkvm::init_host(m.ptr());
  thunkvm::init_interruption(m.ptr());
  thunkvm::init_logging(m.ptr());
}
#undef PyInit__core

extern "C" PYBIND11_EXPORT PyObject* PyInit__core() {
  if (PyInterpreterState_Get() != PyInterpreterState_Main()) {
    PyErr_SetString(PyExc_ImportError,
                    "thunkvm cannot be imported in a subinterpreter: its graphs, functions and "
                    "native threads belong to the main interpreter. Import it there, or use "
                    "threads or processes in place of subinterpreters.");
    return nullptr;
  }
  return init_core_of_main_interpreter();
}
