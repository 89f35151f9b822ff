// module.cpp: thunkvm._core, the extension module: each topic adds itself.
#define THUNKVM_IMPORTS_NUMPY
#include "python/bindings/python/host.h"
#include "python/bindings/python/pybind.h"
#include "python/bindings/python/topics.h"

namespace thunkvm {
namespace {

void add(PyObject* module, auto*... topics) { (topics(module), ...); }

PyObject* make_topics() {
  static PyModuleDef definition;
  py::module_ module = py::module_::create_extension_module(
      "thunkvm._core", "The core of thunkvm: graphs, Ops and functions, in C++.", &definition);
  if (PyArray_ImportNumPyAPI() < 0) throw PythonError{};
  add_testing(module).def(
      "times_gil_left", &PythonHost::times_left,
      "How often calls let other threads have the GIL, since the process began.");
  add(module.ptr(), init_origin, init_collection, init_type, init_variable, init_apply,
      init_builtin_op, init_op_function, init_expressions, init_graph, init_graph_files,
      init_control, init_op_documentation, init_ndarray, init_shared, init_function,
      init_function_methods, init_recording, init_link, init_implementation, init_memory,
      init_compile_error, init_compiling, init_interruption, init_logging);
  return module.release().ptr();
}

PyObject* make_module() {
  return guard([] {
    PYBIND11_ENSURE_INTERNALS_READY
    init_pybind();
    return restoring(make_topics);
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
