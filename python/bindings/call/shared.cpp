#include "python/bindings/call/shared.h"

#include "python/bindings/graph/casters.h"
#include "python/bindings/graph/type.h"
#include "python/bindings/graph/value.h"

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

const Variable& require_shared(PyObject* object, const char* what) {
  const Variable& variable = require_variable(object, what);
  if (variable.leaf() != Leaf::Shared)
    throw Error(ErrorKind::Type, std::string(what) + ": " + variable.text() +
                                     " is no shared variable; make one with "
                                     "tv.shared(value).");
  return variable;
}

Variable shared_variable(const py::object& type_object, const py::object& value,
                         const py::object& name_object, bool borrow) {
  const TypeRef type = unwrap_type(type_object.ptr());
  const std::string name(name_object.is_none() ? std::string_view()
                                               : text_of(name_object.ptr(), "a variable's name"));
  Ref<SharedValue> shared(
      new SharedValue(type, own_value(value.ptr(), *type, borrow, what_is(name))));
  return Variable::shared(std::move(shared), name);
}

PyRef get_value(const py::object& object, bool borrow) {
  const Variable& variable = require_shared(object.ptr(), "get_value");
  Cell value = variable.shared_value().get();
  return borrow ? to_python_lent(kept(std::move(value)))
                : to_python(copy_value(value, variable.type()));
}

void set_value(const py::object& object, const py::object& value, bool borrow) {
  const Variable& variable = require_shared(object.ptr(), "set_value");
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
