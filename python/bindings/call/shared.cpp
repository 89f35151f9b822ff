// shared.cpp: shared variables: values that functions keep between calls.
#include "python/bindings/graph/casters.h"
#include "python/bindings/graph/type.h"
#include "python/bindings/graph/value.h"
#include "python/bindings/python/topics.h"

namespace thunkvm {
namespace {

using namespace py::literals;

// A Python value for a shared variable: its own copy, which nobody writes to, unless the caller
// lends the memory.
Cell own_value(PyObject* value, const Type& type, bool borrow, const std::string& what) {
  Cell cell = from_python(value, type, CastRule::SafeAlone, what.c_str());
  return borrow ? kept_lent(std::move(cell)) : make_exclusive(std::move(cell), type);
}

std::string what_is(std::string_view name) {
  return name.empty() ? "the value of a shared variable"
                      : "the value of shared variable '" + std::string(name) + "'";
}

const Variable& require_shared(const Variable& variable, const char* what) {
  if (variable.leaf() == Leaf::Shared) return variable;
  throw Error(ErrorKind::Type, std::string(what) + ": " + variable.text() +
                                   " is no shared variable; make one with tv.shared(value).");
}

Variable shared_variable(const py::object& type_object, const py::object& value,
                         const py::object& name, bool borrow) {
  const TypeRef type = unwrap_type(type_object.ptr());
  const std::string text(name.is_none() ? "" : text_of(name.ptr(), "a variable's name"));
  return Variable::shared(
      Ref(new SharedValue(type, own_value(value.ptr(), *type, borrow, what_is(text)))), text);
}

Any get_value(const Variable& given, bool borrow) {
  const Variable& variable = require_shared(given, "get_value");
  Cell value = variable.shared_value().get();
  return borrow ? to_python_lent(kept(std::move(value)))
                : to_python(copy_value(value, variable.type()));
}

void set_value(const Variable& given, const py::object& value, bool borrow) {
  const Variable& variable = require_shared(given, "set_value");
  variable.shared_value().set(
      own_value(value.ptr(), variable.type(), borrow, what_is(variable.name())));
}

}  // namespace

void init_shared(PyObject* module) {
  Functions(module)
      .def("shared_variable", &shared_variable, "type"_a, "value"_a, "name"_a = py::none(),
           "borrow"_a = false, "A variable with a value that functions keep.")
      .def("get_value", &get_value, "variable"_a, "borrow"_a = false,
           "The value of a shared variable: a copy, unless borrowed.")
      .def("set_value", &set_value, "variable"_a, "value"_a, "borrow"_a = false,
           "Gives a shared variable a value: a copy, unless lent.");
}

}  // namespace thunkvm
