#include "python/bindings/python/pybind.h"

namespace thunkvm {

Functions testing_functions(PyObject* module) {
  return Functions(attribute(module, "_testing").get());
}

void init_pybind() {
  py::register_local_exception_translator([](std::exception_ptr thrown) {
    try {
      std::rethrow_exception(thrown);
    } catch (const py::builtin_exception&) {
      throw;  // of pybind11's own, which it knows
    } catch (...) {
      set_python_error_from_current();
    }
    if (Interruption::waits()) Interruption::set();
  });
}

}  // namespace thunkvm
