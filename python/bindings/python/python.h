// python.h: the one include of Python.h and of NumPy's C API, references that own, and the bridge
// for errors. The files that are written by hand are made of this.
//
// Every C++ file of the bindings includes this first. Everything here needs the GIL.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#define NPY_TARGET_VERSION NPY_2_0_API_VERSION
#define PY_ARRAY_UNIQUE_SYMBOL thunkvm_numpy_api
#ifndef THUNKVM_IMPORTS_NUMPY  // module.cpp alone
#define NO_IMPORT_ARRAY
#endif
#include <numpy/arrayobject.h>
#include <numpy/arrayscalars.h>

#include "thunks/error.h"

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace thunkvm {

/// Thrown where a Python exception is pending; whoever enters C++ from Python lets it through.
struct PythonError {};

/// An owned reference to a Python object; may be null.
class PyRef {
 public:
  PyRef() = default;
  /// Takes over the caller's reference. Null means that the call that made it failed: throws
  /// PythonError.
  static PyRef take(PyObject* object) {
    if (object == nullptr) throw PythonError{};
    return adopt(object);
  }
  /// Takes over the caller's reference, or null.
  static PyRef adopt(PyObject* object) {
    PyRef reference;
    reference.object_ = object;
    return reference;
  }
  /// Takes a reference of its own.
  static PyRef borrow(PyObject* object) { return adopt(Py_XNewRef(object)); }

  PyRef(const PyRef& other) : object_(Py_XNewRef(other.object_)) {}
  PyRef(PyRef&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  PyRef& operator=(PyRef other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~PyRef() { Py_XDECREF(object_); }

  PyObject* get() const { return object_; }
  explicit operator bool() const { return object_ != nullptr; }
  /// Gives the reference away.
  PyObject* release() { return std::exchange(object_, nullptr); }

 private:
  PyObject* object_ = nullptr;
};

/// The items of a list, or of anything that can be iterated over, at this moment. Reading an item
/// may run anybody's code, which may empty the list; what is here stays.
class Items {
 public:
  /// Throws PythonError: a TypeError with the message `expected` for what cannot be iterated over.
  Items(PyObject* iterable, const char* expected);

  Py_ssize_t size() const { return PyTuple_GET_SIZE(held_.get()); }
  PyObject* operator[](Py_ssize_t i) const { return PyTuple_GET_ITEM(held_.get(), i); }
  PyObject* const* begin() const { return reinterpret_cast<PyTupleObject*>(held_.get())->ob_item; }
  PyObject* const* end() const { return begin() + size(); }

 private:
  PyRef held_;
};

/// Counts one more level of a recursion in C++, for as long as it lives. Throws PythonError
/// (RecursionError) where they are too many; `where` ends the message.
class RecursionLevel {
 public:
  explicit RecursionLevel(const char* where) {
    if (Py_EnterRecursiveCall(where) != 0) throw PythonError{};
  }
  ~RecursionLevel() { Py_LeaveRecursiveCall(); }
  RecursionLevel(const RecursionLevel&) = delete;
  RecursionLevel& operator=(const RecursionLevel&) = delete;
};

/// A C API call that returns a negative number when it failed.
inline int check(int status) {
  if (status < 0) throw PythonError{};
  return status;
}

/// The Python exception class for a kind of error; borrowed. `Host` has none of its own:
/// RuntimeError.
PyObject* exception_class(ErrorKind kind);

/// Makes `error` the pending Python exception. One of kind Host or Interrupted leaves the exception
/// that is pending.
void set_python_error(const Error& error);
/// Makes the C++ exception in flight the pending Python exception; call it in a catch block.
void set_python_error_from_current() noexcept;

/// An exception that Python code raised where the machine could not stop: a handler of a signal,
/// while a message was on its way to `logging`. It waits for what Python has called on this thread.
class Interruption {
 public:
  /// The pending exception waits; one that comes while another one waits is reported as unraisable.
  static void keep() noexcept;
  static bool waits() { return exception_ != nullptr; }
  /// Makes the one that waits the pending exception, whatever is pending.
  static void set() noexcept;

 private:
  [[gnu::tls_model("initial-exec")]] static constinit thread_local PyObject* exception_;
};

/// Runs `f` for Python: what it throws, or an interruption that waits at its end, becomes the
/// pending Python exception, and the result says so as the C API does (null, or -1). A PyRef that
/// `f` returns becomes a new reference.
template <class F>
auto guard(F&& f) noexcept {
  using Result = std::invoke_result_t<F>;
  try {
    if constexpr (std::is_same_v<Result, PyRef>) {
      PyRef result = f();
      if (!Interruption::waits()) [[likely]]
        return result.release();
    } else {
      const Result result = f();
      if (!Interruption::waits()) [[likely]]
        return result;
      if constexpr (std::is_same_v<Result, PyObject*>) Py_XDECREF(result);
    }
  } catch (...) {
    set_python_error_from_current();
  }
  if (Interruption::waits()) Interruption::set();
  if constexpr (std::is_same_v<Result, PyRef>) {
    return static_cast<PyObject*>(nullptr);
  } else if constexpr (std::is_pointer_v<Result>) {
    return static_cast<Result>(nullptr);
  } else {
    return static_cast<Result>(-1);
  }
}

/// The row of a table for an attribute that is only read; `F(self)` is its value.
template <auto F>
constexpr PyGetSetDef readable(const char* name, const char* documentation = nullptr) {
  constexpr getter get = [](PyObject* self, void*) -> PyObject* {
    return guard([&] { return F(self); });
  };
  return {name, get, nullptr, documentation, nullptr};
}

/// A function that takes keyword arguments, as a table of methods wants it.
inline PyCFunction with_keywords(PyCFunctionWithKeywords function) {
  return reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(function));
}

inline PyRef to_text(std::string_view text) {
  return PyRef::take(
      PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size())));
}
/// The name of a file, which may have bytes that are no text; Python has a way to carry these.
inline PyRef path_text(std::string_view path) {
  return PyRef::take(
      PyUnicode_DecodeFSDefaultAndSize(path.data(), static_cast<Py_ssize_t>(path.size())));
}
/// Throws for a str that has no UTF-8, or for what is no str: PyUnicode_AsUTF8 has failed.
[[noreturn]] void throw_no_text(PyObject* object, const char* what);
/// A str as UTF-8; good for as long as the object. Throws PythonError (TypeError) for anything
/// else, Error(Value) that names `what` for one with half of a surrogate pair in it.
inline std::string_view text_of(PyObject* str, const char* what = "a str") {
  Py_ssize_t size = 0;
  const char* text = PyUnicode_AsUTF8AndSize(str, &size);
  if (text == nullptr) throw_no_text(str, what);
  return {text, static_cast<std::size_t>(size)};
}
/// Reads the arguments of a call into `out`. Throws PythonError (TypeError).
template <std::size_t n>
void parse(PyObject* args, PyObject* kwargs, const char* format, const char* const (&names)[n],
           auto*... out) {
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, format, const_cast<char**>(names), out...))
    throw PythonError{};
}

/// The texts of a sequence of str; `expected` as for Items.
std::vector<std::string> texts_of(PyObject* iterable, const char* expected);
/// `str(object)`, for people: what UTF-8 cannot say, such as a byte of a file's name that is no
/// text, is escaped with a backslash.
inline std::string str_of(PyObject* object) {
  PyRef str = PyRef::take(PyObject_Str(object));
  PyRef bytes = PyRef::take(PyUnicode_AsEncodedString(str.get(), "utf-8", "backslashreplace"));
  return {PyBytes_AS_STRING(bytes.get()), static_cast<std::size_t>(PyBytes_GET_SIZE(bytes.get()))};
}
/// The name of an object's class, for messages.
inline std::string class_name(PyObject* object) { return Py_TYPE(object)->tp_name; }

inline PyRef attribute(PyObject* object, const char* name) {
  return PyRef::take(PyObject_GetAttrString(object, name));
}
/// The attribute, or null where there is none.
PyRef attribute_or_null(PyObject* object, const char* name);

/// Frees an object whose parts are gone, and the reference to its class.
inline void free_object(PyObject* self) {
  PyTypeObject* const type = Py_TYPE(self);
  type->tp_free(self);
  Py_DECREF(type);
}

/// Makes a class known to the module: creates it from its spec and adds it under its name. The
/// reference that comes back is the module's; it lives as long as the process.
PyTypeObject* add_class(PyObject* module, PyType_Spec& spec, PyTypeObject* base = nullptr);

}  // namespace thunkvm
