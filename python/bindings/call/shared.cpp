#include "python/bindings/call/shared.h"

#include "python/bindings/graph/type.h"
#include "python/bindings/graph/value.h"
#include "python/bindings/graph/variable.h"

namespace thunkvm {
namespace {

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

PyObject* shared_variable(PyObject*, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"type", "value", "name", "borrow", nullptr};
  PyObject *type_object, *value, *name_object = Py_None;
  int borrow = 0;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OO|Op:shared_variable", const_cast<char**>(names),
                                   &type_object, &value, &name_object, &borrow))
    return nullptr;
  return guard([&] {
    const TypeRef type = unwrap_type(type_object);
    const std::string name(name_object == Py_None ? std::string_view()
                                                  : text_of(name_object, "a variable's name"));
    Ref<SharedValue> shared(
        new SharedValue(type, own_value(value, *type, borrow != 0, what_is(name))));
    return PyRef::take(wrap(Variable::shared(std::move(shared), name)));
  });
}

PyObject* get_value(PyObject*, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"variable", "borrow", nullptr};
  PyObject* object;
  int borrow = 0;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|p:get_value", const_cast<char**>(names),
                                   &object, &borrow))
    return nullptr;
  return guard([&] {
    const Variable& variable = require_shared(object, "get_value");
    Cell value = variable.shared_value().get();
    return borrow != 0 ? to_python_lent(kept(std::move(value)))
                       : to_python(copy_value(value, variable.type()));
  });
}

PyObject* set_value(PyObject*, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"variable", "value", "borrow", nullptr};
  PyObject *object, *value;
  int borrow = 0;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OO|p:set_value", const_cast<char**>(names),
                                   &object, &value, &borrow))
    return nullptr;
  return guard([&] {
    const Variable& variable = require_shared(object, "set_value");
    variable.shared_value().set(
        own_value(value, variable.type(), borrow != 0, what_is(variable.name())));
    return PyRef::borrow(Py_None);
  });
}

PyMethodDef functions[] = {
    {"shared_variable", with_keywords(shared_variable), METH_VARARGS | METH_KEYWORDS,
     "shared_variable(type, value, name=None, borrow=False)\n--\n\nA variable with a value that "
     "functions keep."},
    {"get_value", with_keywords(get_value), METH_VARARGS | METH_KEYWORDS,
     "get_value(variable, borrow=False)\n--\n\nThe value of a shared variable: a copy, unless "
     "borrowed."},
    {"set_value", with_keywords(set_value), METH_VARARGS | METH_KEYWORDS,
     "set_value(variable, value, borrow=False)\n--\n\nGives a shared variable a value: a copy, "
     "unless lent."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

void init_shared(PyObject* module) { check(PyModule_AddFunctions(module, functions)); }

}  // namespace thunkvm
