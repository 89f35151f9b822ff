// module.cpp: thunkvm._core, the extension module: each topic adds itself.
#define THUNKVM_IMPORTS_NUMPY
#include "python/bindings/arrays/memory.h"
#include "python/bindings/arrays/ndarray.h"
#include "python/bindings/call/function_methods.h"
#include "python/bindings/call/function_object.h"
#include "python/bindings/call/implementation.h"
#include "python/bindings/call/link.h"
#include "python/bindings/call/recording_object.h"
#include "python/bindings/call/shared.h"
#include "python/bindings/compiling/compiling.h"
#include "python/bindings/graph/apply.h"
#include "python/bindings/graph/builtin_op.h"
#include "python/bindings/graph/collection.h"
#include "python/bindings/graph/control.h"
#include "python/bindings/graph/expressions.h"
#include "python/bindings/graph/graph.h"
#include "python/bindings/graph/op_documentation.h"
#include "python/bindings/graph/op_function.h"
#include "python/bindings/graph/origin.h"
#include "python/bindings/graph/type.h"
#include "python/bindings/graph/variable.h"
#include "python/bindings/python/compile_error.h"
#include "python/bindings/python/host.h"
#include "python/bindings/python/interruption.h"
#include "python/bindings/python/logging.h"
#include "python/bindings/python/pybind.h"

namespace thunkvm {
namespace {

PyModuleDef definition = {
    .m_base = PyModuleDef_HEAD_INIT,
    .m_name = "thunkvm._core",
    .m_doc = "The core of thunkvm: graphs, Ops and functions, in C++.",
    .m_size = -1,  // one for the process
    .m_methods = nullptr,
    .m_slots = nullptr,
    .m_traverse = nullptr,
    .m_clear = nullptr,
    .m_free = nullptr,
};

void add_topics(PyObject* module) {
  Functions(py::reinterpret_borrow<py::module_>(module).def_submodule("_testing").ptr())
      .def("times_gil_left", &PythonHost::times_left,
           "How often calls let other threads have the GIL, since the process began.");
  for (void (*init)(PyObject*) : {init_origin,
                                  init_collection,
                                  init_type,
                                  init_variable,
                                  init_apply,
                                  init_builtin_op,
                                  init_op_function,
                                  init_expressions,
                                  init_graph,
                                  init_control,
                                  init_op_documentation,
                                  init_ndarray,
                                  init_shared,
                                  init_function,
                                  init_function_methods,
                                  init_recording,
                                  init_link,
                                  init_implementation,
                                  init_memory,
                                  init_compile_error,
                                  init_compiling,
                                  init_interruption,
                                  init_logging})
    init(module);
}

PyObject* make_module() {
  return guard([] {
    PYBIND11_ENSURE_INTERNALS_READY
    init_pybind();
    PyRef module = PyRef::take(PyModule_Create(&definition));
    if (PyArray_ImportNumPyAPI() < 0) throw PythonError{};
    restoring([&] { add_topics(module.get()); });
    return module;
  });
}

}  // namespace
}  // namespace thunkvm

PyMODINIT_FUNC PyInit__core() {
  if (PyInterpreterState_Get() != PyInterpreterState_Main()) {
    PyErr_SetString(PyExc_ImportError,
                    "thunkvm cannot be imported in a subinterpreter: its graphs, functions and "
                    "native threads belong to the main interpreter. Import it there, or use "
                    "threads or processes in place of subinterpreters.");
    return nullptr;
  }
  return thunkvm::make_module();
}
