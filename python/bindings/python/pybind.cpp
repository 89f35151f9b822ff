#include "python/bindings/python/pybind.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace thunkvm {

namespace {

/// The parameters in `list`, separated by commas outside of brackets and quotes, without their
/// types: "x: int, y: str = 'a'" is "x, y='a'".
std::string without_types(std::string_view list) {
  std::string out;
  int depth = 0;
  char quote = 0;
  bool in_type = false;
  for (const char c : list) {
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '(' || c == '[' || c == '{') {
      ++depth;
    } else if (c == ')' || c == ']' || c == '}') {
      --depth;
    } else if (depth == 0 && c == ':') {
      in_type = true;
    } else if (depth == 0 && (c == ',' || c == '=')) {
      in_type = false;
    }
    if (!in_type) out += c;
  }
  return out;
}

/// By the name of a function, its signature with types.
py::dict signatures() {
  static PyObject* made = PyDict_New();
  return py::reinterpret_borrow<py::dict>(made);
}

}  // namespace

void sign(py::handle function, const std::string& name) {
  PyObject* const callable = PyInstanceMethod_Check(function.ptr()) != 0
                                 ? PyInstanceMethod_GET_FUNCTION(function.ptr())
                                 : function.ptr();
  auto& definition = *reinterpret_cast<PyCFunctionObject*>(callable)->m_ml;
  // "name(x: int) -> str", an empty line, the documentation: pybind11 frees it with the function.
  if (definition.ml_doc == nullptr) return;
  const std::string_view written = definition.ml_doc;
  const std::size_t open = written.find('('), end = written.find('\n');
  const std::size_t close = written.substr(0, end).rfind(") -> ");
  if (open == written.npos || close == written.npos) return;
  const std::string_view line = written.substr(0, end);
  signatures()[py::str(name)] = py::str(line.data(), line.size());
  std::string text(written.substr(0, open + 1));
  text += without_types(written.substr(open + 1, close - open - 1)) + ")\n--\n\n";
  text += written.substr(std::min(written.find_first_not_of('\n', end), written.size()));
  while (text.ends_with('\n') && !text.ends_with("--\n\n")) text.pop_back();
  std::free(const_cast<char*>(std::exchange(definition.ml_doc, strdup(text.c_str()))));
}

Functions add_testing(py::module_& module) {
  py::module_ testing = module.def_submodule("_testing");
  testing.attr("signatures") = signatures();
  return Functions(testing.ptr());
}

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
