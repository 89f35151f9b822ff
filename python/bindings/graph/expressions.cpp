// expressions.cpp: leaves of graphs and functions of Ops. By hand: graphs are made of these, in a
// few hundred nanoseconds each.
#include "python/bindings/graph/op_function.h"
#include "python/bindings/graph/type.h"
#include "python/bindings/graph/value.h"
#include "python/bindings/graph/variable.h"
#include "python/bindings/python/topics.h"

#include <string>

namespace thunkvm {
namespace {

PyRef object(const Variable& variable) { return PyRef::take(wrap(variable)); }

PyObject* input_variable(PyObject*, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"type", "name", nullptr};
  PyObject *type, *name = Py_None;
  return guard([&] {
    parse(args, kwargs, "O|O:input_variable", names, &type, &name);
    PyRef variable = object(Variable::input(unwrap_type(type)));
    check(PyObject_SetAttrString(variable.get(), "name", name));
    return variable;
  });
}

PyObject* constant(PyObject*, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"value", "dtype", "type", nullptr};
  PyObject *value, *dtype = Py_None, *type = Py_None;
  return guard([&] {
    parse(args, kwargs, "O|OO:constant", names, &value, &dtype, &type);
    if (type == Py_None) return object(constant_of(value, dtype));
    if (dtype != Py_None)
      throw Error(ErrorKind::Type, "constant() takes a dtype or a type, not both");
    const TypeRef wanted = unwrap_type(type);
    const Cell cell = from_python(value, *wanted, CastRule::SafeAlone, "the constant's value");
    // A copy: the caller may change the array that they gave.
    return object(
        Variable::constant(wanted->tensor() == nullptr ? cell : copy_value(cell, *wanted), wanted));
  });
}

PyObject* as_variable_of(PyObject*, PyObject* value) {
  return guard([&] { return object(as_variable(value)); });
}

PyObject* op(PyObject*, PyObject* name) {
  return guard([&] { return PyRef::take(op_function(std::string(text_of(name)))); });
}

PyObject* kept_items(PyObject*, PyObject* value) {
  return guard([&] { return with_kept_items(value); });
}

PyMethodDef functions[] = {
    {"input_variable", with_keywords(input_variable), METH_VARARGS | METH_KEYWORDS,
     "input_variable(type, name=None)\n--\n\nA free variable of a type."},
    {"constant", with_keywords(constant), METH_VARARGS | METH_KEYWORDS,
     "constant(value, dtype=None, type=None)\n--\n\n"
     "A constant: of NumPy's dtype for the value, of the given dtype, or of the given Type."},
    {"as_variable", as_variable_of, METH_O,
     "as_variable(value)\n--\n\n"
     "A Variable as it is; numbers, arrays and lists (also of Variables) as one."},
    {"with_kept_items", kept_items, METH_O,
     "with_kept_items(value)\n--\n\n"
     "A (nested) list as tuples, which asking an item for its value does not empty."},
    {"op", op, METH_O, "op(name)\n--\n\nThe function of a built-in Op."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

void init_expressions(PyObject* module) { check(PyModule_AddFunctions(module, functions)); }

}  // namespace thunkvm
