// python.cpp: references, errors, classes by hand.
#include "python/bindings/python/python.h"

#include "linkers/user_code/kernel_run.h"
#include "python/bindings/python/compile_error.h"
#include "python/bindings/python/raised.h"

#include <cstring>
#include <exception>
#include <new>

namespace thunkvm {
namespace {

PyObject* lin_alg_error() {
  static PyObject* found = [] {
    PyRef module = PyRef::take(PyImport_ImportModule("numpy.linalg"));
    return attribute(module.get(), "LinAlgError").release();
  }();
  return found;
}

}  // namespace

PyObject* exception_class(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::Type: return PyExc_TypeError;
    case ErrorKind::Value: return PyExc_ValueError;
    case ErrorKind::Index: return PyExc_IndexError;
    case ErrorKind::Key: return PyExc_KeyError;
    case ErrorKind::ZeroDivision: return PyExc_ZeroDivisionError;
    case ErrorKind::Overflow: return PyExc_OverflowError;
    case ErrorKind::LinAlg: return lin_alg_error();
    case ErrorKind::NotImplemented: return PyExc_NotImplementedError;
    case ErrorKind::Memory: return PyExc_MemoryError;
    case ErrorKind::Interrupted: return PyExc_KeyboardInterrupt;
    case ErrorKind::Runtime:
    case ErrorKind::Host: break;
  }
  return PyExc_RuntimeError;
}

void set_python_error(const Error& error) {
  const bool of_host = error.kind() == ErrorKind::Host || error.kind() == ErrorKind::Interrupted;
  if (of_host && PyErr_Occurred() != nullptr) return;
  PyErr_SetString(exception_class(error.kind()), error.what());
}

namespace {

/// The exception of Python's that a user's C named.
void set_named_error(const KernelFailure& failure) noexcept {
  PyObject* type = PyDict_GetItemString(PyEval_GetBuiltins(), failure.exception().c_str());
  if (type == nullptr && failure.exception() == "LinAlgError")
    type = exception_class(ErrorKind::LinAlg);
  if (type != nullptr && PyExceptionClass_Check(type))
    PyErr_Format(type, "%s", failure.what());  // which replaces bytes that are no UTF-8
  else
    PyErr_Format(PyExc_RuntimeError, "%s: %s", failure.exception().c_str(), failure.what());
}

}  // namespace

void set_python_error_from_current() noexcept {
  try {
    throw;
  } catch (const PythonError&) {
    // It is pending already.
  } catch (const Raised& raised) {
    set_exception(raised.exception());
  } catch (const KernelFailure& failure) {
    set_named_error(failure);
  } catch (const Error& error) {
    try {
      const auto* of_compiler = dynamic_cast<const CompileError*>(&error);
      of_compiler != nullptr ? set_compile_error(*of_compiler) : set_python_error(error);
    } catch (const PythonError&) {
      // The exception could not be made; why not is what is pending now.
    }
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  } catch (...) {
    PyErr_SetString(PyExc_SystemError, "an unknown C++ exception reached Python");
  }
}

Items::Items(PyObject* iterable, const char* expected) {
  if (PyList_Check(iterable) || PyTuple_Check(iterable)) {
    held_ = PyRef::take(PySequence_Tuple(iterable));
    return;
  }
  PyRef iterator = PyRef::adopt(PyObject_GetIter(iterable));
  if (!iterator) {
    if (PyErr_ExceptionMatches(PyExc_TypeError)) PyErr_SetString(PyExc_TypeError, expected);
    throw PythonError{};
  }
  held_ = PyRef::take(PySequence_Tuple(iterator.get()));
}

void throw_no_text(PyObject* object, const char* what) {
  if (!PyErr_ExceptionMatches(PyExc_UnicodeEncodeError)) throw PythonError{};
  PyErr_Clear();
  PyRef shown = PyRef::take(PyObject_ASCII(object));
  throw Error(ErrorKind::Value,
              std::string(what) + " is " + std::string(text_of(shown.get())) +
                  ", which has half of a surrogate pair in it and so cannot be written as UTF-8: "
                  "every character has to be a whole one. Bytes that came in as str with "
                  "surrogateescape are decoded with their own encoding instead.");
}

std::vector<std::string> texts_of(PyObject* iterable, const char* expected) {
  std::vector<std::string> texts;
  for (PyObject* text : Items(iterable, expected)) texts.emplace_back(text_of(text));
  return texts;
}

PyRef attribute_or_null(PyObject* object, const char* name) {
  PyObject* value = PyObject_GetAttrString(object, name);
  if (value == nullptr) {
    if (!PyErr_ExceptionMatches(PyExc_AttributeError)) throw PythonError{};
    PyErr_Clear();
  }
  return PyRef::adopt(value);
}

PyTypeObject* add_class(PyObject* module, PyType_Spec& spec, PyTypeObject* base) {
  PyRef made =
      PyRef::take(PyType_FromModuleAndSpec(module, &spec, reinterpret_cast<PyObject*>(base)));
  const char* dot = std::strrchr(spec.name, '.');
  check(PyModule_AddObjectRef(module, dot + 1, made.get()));
  return reinterpret_cast<PyTypeObject*>(made.release());
}

}  // namespace thunkvm
