// python_type.cpp: what a user's Type does with its values, by the methods of its Python object.
#include "python/bindings/graph/collection.h"
#include "python/bindings/graph/type.h"
#include "python/bindings/graph/value.h"

#include <string>

namespace thunkvm {

PythonType::PythonType(PyObject* object) : object_(PyRef::borrow(object)) {
  graphs_may_hold_objects = true;
  type_of(object) = this;
}
PythonType::~PythonType() { type_of(object_.get()) = nullptr; }

std::string PythonType::text() const { return str_of(object_.get()); }

bool PythonType::equals(const Type& other) const {
  if (this == &other) return true;
  const auto* type = dynamic_cast<const PythonType*>(&other);
  return type != nullptr &&
         check(PyObject_RichCompareBool(object_.get(), type->object(), Py_EQ)) == 1;
}

Cell PythonType::copy(const Cell& value) const {
  PyRef copied =
      PyRef::take(PyObject_CallMethod(object_.get(), "copy", "O", to_python(value, *this).get()));
  return object_cell(copied.get());
}

PyRef PythonType::filter(PyObject* value, bool strict, PyObject* allow_downcast) const {
  PyRef method = attribute(object_.get(), "filter");
  PyRef args = PyRef::take(PyTuple_Pack(1, value));
  PyRef kwargs = PyRef::take(Py_BuildValue("{s:O,s:O}", "strict", strict ? Py_True : Py_False,
                                           "allow_downcast",
                                           allow_downcast == nullptr ? Py_None : allow_downcast));
  PyRef filtered = PyRef::take(PyObject_Call(method.get(), args.get(), kwargs.get()));
  if (filtered.get() == Py_None && value != Py_None)
    throw Error(ErrorKind::Type,
                "filter of " + str_of(object_.get()) + " returned None for " + str_of(value) +
                    ", a " + class_name(value) +
                    ": it has to return the value that it accepts, and to raise TypeError for "
                    "what it does not");
  return filtered;
}

}  // namespace thunkvm
