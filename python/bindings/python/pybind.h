// pybind.h: pybind11 as the bindings use it: PyRef as an argument and a result, errors, signals.
//
// For what is not on a call's path. Few files include this, a topic each, since each costs the
// compiler some ten seconds; the others are by hand, and say why.
#pragma once

#include "python/bindings/python/python.h"
#include "vm/program.h"

#include <pybind11/native_enum.h>
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace thunkvm {

namespace py = pybind11;

/// A PyRef as pybind11's object.
inline py::object object_of(PyRef reference) {
  return py::reinterpret_steal<py::object>(reference.release());
}

/// A name as a template's argument.
template <std::size_t n>
struct Name {
  constexpr Name(const char (&name)[n]) { std::copy_n(name, n, text); }  // NOLINT
  char text[n];
};

/// A result of that type of Python's, as a stub says it.
template <Name type>
struct Typed {
  Typed(PyRef made) : object(std::move(made)) {}                          // NOLINT
  Typed(py::object made) : object(PyRef::adopt(made.release().ptr())) {}  // NOLINT
  PyRef object;
};
using Any = Typed<"typing.Any">;

/// A str as UTF-8; of one that has none the error is `text_of`'s.
struct Text {
  std::string text;
};
inline std::vector<std::string> strings(std::vector<Text> texts) {
  std::vector<std::string> strings;
  for (Text& text : texts) strings.push_back(std::move(text.text));
  return strings;
}

/// The result of `f()`, for callers that are written by hand: where pybind11 throws what Python
/// raised, that is pending, and the exception is PythonError.
template <class F>
auto restoring(F f) {
  try {
    return f();
  } catch (py::error_already_set& raised) {
    raised.restore();
    throw PythonError{};
  }
}

/// What programs print and files are called may be anything: bytes that are no text are replaced.
inline py::str readable(std::string_view text) {
  return py::reinterpret_steal<py::str>(
      PyRef::take(
          PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"))
          .release());
}
inline py::str path_str(std::string_view path) {
  return py::reinterpret_steal<py::str>(path_text(path).release());
}

/// A list of what `make` gives for each element.
template <class List, class Make>
py::list py_list(const List& elements, const Make& make) {
  py::list list(static_cast<py::ssize_t>(std::size(elements)));
  Py_ssize_t at = 0;
  for (const auto& element : elements)
    PyList_SET_ITEM(list.ptr(), at++, py::object(make(element)).release().ptr());
  return list;
}

/// The function, which an interruption that waits at its end ends with its exception.
template <class F, class Result, class... Arguments>
auto heeding(F f, Result (*)(Arguments...)) {
  return [f = std::move(f)](Arguments... arguments) -> Result {
    const auto heed = [] {
      if (Interruption::waits()) throw PythonError{};  // the translator sets it
    };
    if constexpr (std::is_void_v<Result>) {
      f(std::forward<Arguments>(arguments)...);
      heed();
    } else {
      Result result = f(std::forward<Arguments>(arguments)...);
      heed();
      return std::forward<Result>(result);
    }
  };
}
template <class F>
auto heeding(F f) {
  return heeding(std::move(f), static_cast<py::detail::function_signature_t<F>*>(nullptr));
}

/// Gives a function of pybind11's the signature that `inspect` reads. That of pybind11, which has
/// types, goes to `_testing.signatures`, under the function's name in the module.
void sign(py::handle function, const std::string& name);

/// Adds functions to a module; `extra` are arguments and documentation as for pybind11's own `def`.
class Functions {
 public:
  explicit Functions(PyObject* module) : module_(py::reinterpret_borrow<py::module_>(module)) {}

  template <class F, class... Extra>
  Functions& def(const char* name, F f, const Extra&... extra) {
    module_.def(name, heeding(std::move(f)), extra...);
    sign(module_.attr(name), name);
    return *this;
  }

 private:
  py::module_ module_;
};

/// Adds methods and properties to a class that is written by hand; their first argument is self.
class Methods {
 public:
  explicit Methods(PyTypeObject* type)
      : type_(py::reinterpret_borrow<py::object>(reinterpret_cast<PyObject*>(type))) {}

  template <class F, class... Extra>
  Methods& def(const char* name, F f, const Extra&... extra) {
    type_.attr(name) = method(name, std::move(f), extra...);
    return *this;
  }
  template <class F>
  Methods& property(const char* name, F f, const char* documentation) {
    const py::object made = py::handle(reinterpret_cast<PyObject*>(&PyProperty_Type))(
        method(name, std::move(f)), py::none(), py::none(), documentation);
    made.attr("__set_name__")(type_, name);  // as a class statement does
    type_.attr(name) = made;
    return *this;
  }

 private:
  template <class F, class... Extra>
  py::object method(const char* name, F f, const Extra&... extra) {
    py::cpp_function made(heeding(std::move(f)), py::name(name), py::is_method(type_), extra...);
    sign(made, py::str(type_.attr("__name__")).cast<std::string>() + "." + name);
    return made;
  }

  py::object type_;
};

/// What tests look through, and nobody else: adds `_core._testing`, and finds it.
Functions add_testing(py::module_& module);
Functions testing_functions(PyObject* module);

/// Has pybind11 raise what `set_python_error_from_current` says of C++ exceptions.
void init_pybind();

}  // namespace thunkvm

namespace pybind11::detail {

/// An argument that is a T in an object of a class by hand: `kIs` says of an object whether it is
/// one, and `kIn` finds it.
template <class T, auto kIs, auto kIn>
class caster_by_hand {
 public:
  bool load(handle source, bool) {
    if (!kIs(source.ptr())) return false;
    held_ = reinterpret_borrow<object>(source);
    value_ = &kIn(source.ptr());
    return true;
  }
  template <class>
  using cast_op_type = T&;
  operator T&() { return *value_; }

 private:
  object held_;  // a list may make its items on the way
  T* value_ = nullptr;
};

template <>
class type_caster<thunkvm::PyRef> {
 public:
  static constexpr auto name = const_name("object");
  bool load(handle source, bool) {
    value_ = thunkvm::PyRef::borrow(source.ptr());
    return true;
  }
  static handle cast(thunkvm::PyRef reference, return_value_policy, handle) {
    return reference ? reference.release() : none().release();
  }
  template <class T>
  using cast_op_type = thunkvm::PyRef&&;
  operator thunkvm::PyRef&&() { return std::move(value_); }

 private:
  thunkvm::PyRef value_;
};

template <thunkvm::Name type>
class type_caster<thunkvm::Typed<type>> {
 public:
  static constexpr auto name = const_name(type.text);
  static handle cast(thunkvm::Typed<type> result, return_value_policy, handle) {
    return result.object ? result.object.release() : none().release();
  }
};

template <>
class type_caster<thunkvm::Text> {
 public:
  PYBIND11_TYPE_CASTER(thunkvm::Text, const_name("str"));
  bool load(handle source, bool) {
    if (PyUnicode_Check(source.ptr()) == 0) return false;
    value.text = thunkvm::text_of(source.ptr());
    return true;
  }
};

}  // namespace pybind11::detail
