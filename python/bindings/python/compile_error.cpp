#include "python/bindings/python/compile_error.h"

#include "python/bindings/python/raised.h"
#include "python/bindings/python/topics.h"

#include <string>
#include <string_view>
#include <utility>

namespace thunkvm {
namespace {

PyObject* compile_error = nullptr;
PyObject* no_compiler_error = nullptr;

// What programs print may be anything.
PyRef message_text(std::string_view text) {
  return PyRef::take(
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
}

PyObject* add_exception(PyObject* module, const char* name, const char* doc, PyObject* base) {
  PyRef made = PyRef::take(
      PyErr_NewExceptionWithDoc((std::string("thunkvm.") + name).c_str(), doc, base, nullptr));
  check(PyModule_AddObjectRef(module, name, made.get()));
  return made.release();
}

}  // namespace

void set_compile_error(const CompileError& error) {
  PyObject* kind = error.is_no_compiler() ? no_compiler_error : compile_error;
  PyRef message = message_text(error.what()), diagnostics = message_text(error.diagnostics());
  PyRef source = path_text(error.source_path());
  PyRef exception = PyRef::take(PyObject_CallOneArg(kind, message.get()));
  check(PyObject_SetAttrString(exception.get(), "diagnostics", diagnostics.get()));
  check(PyObject_SetAttrString(exception.get(), "source_path", source.get()));
  PyRef index = PyRef::take(PyLong_FromSize_t(error.index()));
  check(PyObject_SetAttrString(exception.get(), "index", index.get()));
  set_exception(std::move(exception));
}

void init_compile_error(PyObject* module) {
  compile_error = add_exception(module, "CompileError",
                                R"doc(A C source could not be compiled or loaded.

Attributes
----------
diagnostics : str
    The messages of the compiler.
source_path : str
    The file of the source.

Examples
--------
>>> x = tv.scalar("x")
>>> half = tv.wrap_c("double half(double x) { return x / ; }", "double half(double x)")
>>> try:
...     tv.function([x], half(x), mode="c")
... except tv.CompileError as error:
...     print("expected primary-expression" in str(error), error.source_path.endswith(".cpp"))
True True
)doc",
                                PyExc_RuntimeError);
  no_compiler_error = add_exception(module, "NoCompilerError",
                                    R"doc(There is no C compiler, or it does not work at all.

Examples
--------
>>> x = tv.scalar("x")
>>> half = tv.wrap_c("double half(double x) { return x / 2; }", "double half(double x)")
>>> try:
...     with tv.config.change(cxx="no-such-compiler"):
...         tv.function([x], half(x), mode="c")
... except tv.NoCompilerError as error:
...     print("'no-such-compiler' was not found" in str(error))
True
)doc",
                                    compile_error);
}

}  // namespace thunkvm
