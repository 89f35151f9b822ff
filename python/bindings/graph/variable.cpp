// variable.cpp: Variables as Python objects. By hand: operators by slots, weak references, and the
// garbage collector's.
#include "python/bindings/graph/variable.h"

#include "ops/graph/op.h"
#include "python/bindings/graph/apply.h"
#include "python/bindings/graph/collection.h"
#include "python/bindings/graph/limits.h"
#include "python/bindings/graph/type.h"
#include "python/bindings/graph/value.h"
#include "python/bindings/graph/variable_numbers.h"
#include "python/bindings/python/list_of.h"
#include "python/bindings/python/topics.h"

#include <structmember.h>

#include <array>
#include <cstddef>
#include <new>
#include <string>

namespace thunkvm {

PyTypeObject* variable_class = nullptr;

namespace {

// Dead objects that wait to be used again: a loop that builds a graph makes and drops one per node.
std::array<VariableObject*, kFreeVariables> free_list;
std::size_t free_count = 0;

VariableObject* self_of(PyObject* self) { return reinterpret_cast<VariableObject*>(self); }

VariableObject* new_object() {
  if (free_count > 0) {
    VariableObject* object = free_list[--free_count];
    PyObject_Init(reinterpret_cast<PyObject*>(object), variable_class);
    return object;
  }
  auto* object = PyObject_GC_New(VariableObject, variable_class);
  if (object == nullptr) throw PythonError{};
  return object;
}

void variable_dealloc(PyObject* self) {
  VariableObject* object = self_of(self);
  PyObject_GC_UnTrack(self);
  leave_holder(self);
  // First of all: a weak reference's callback may ask for this variable's object, and must get
  // another.
  object->variable.handle() = nullptr;
  if (object->weak_references != nullptr) PyObject_ClearWeakRefs(self);
  object->variable.~Variable();
  PyTypeObject* type = Py_TYPE(self);
  if (free_count < kFreeVariables) {
    free_list[free_count++] = object;
  } else {
    PyObject_GC_Del(self);
  }
  Py_DECREF(type);
}

int variable_traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  return visit_graph(self, visit, arg, [&](GraphVisit& graph) { graph.node(unwrap(self).node()); });
}

// Lets go of the graph. What is left is a Variable for whoever meets it on its way to its end.
int variable_clear(PyObject* self) {
  leave_holder(self);
  Variable left = Variable::input(GenericType::instance(), "a collected variable");
  Variable& held = self_of(self)->variable;
  held.handle() = nullptr;
  left.handle() = self;
  std::swap(held, left);
  return 0;
}

// What an index means is the package's to say (set_indexing). The slots are those of a mapping:
// with those of a sequence, which a `__getitem__` of Python's gets too, NumPy hides our message
// about `array[0] = variable` behind one of its own, about sequences.
PyObject* get_item = nullptr;
PyObject* set_item = nullptr;

PyObject* variable_subscript(PyObject* self, PyObject* key) {
  return PyObject_CallFunctionObjArgs(get_item, self, key, nullptr);
}

int variable_assign_subscript(PyObject* self, PyObject* key, PyObject* value) {
  PyObject* result = PyObject_CallFunctionObjArgs(set_item, self, key,
                                                  value == nullptr ? Py_None : value, nullptr);
  Py_XDECREF(result);
  return result == nullptr ? -1 : 0;
}

PyObject* set_indexing(PyObject*, PyObject* args) {
  PyObject *get, *set;
  if (!PyArg_ParseTuple(args, "OO:set_indexing", &get, &set)) return nullptr;
  Py_XSETREF(get_item, Py_NewRef(get));
  Py_XSETREF(set_item, Py_NewRef(set));
  Py_RETURN_NONE;
}

PyObject* variable_new(PyTypeObject*, PyObject* args, PyObject* kwargs) {
  static const char* keywords[] = {"type", "owner", "index", "name", nullptr};
  PyObject *type, *owner = Py_None, *index = Py_None, *name = Py_None;
  return guard([&] {
    parse(args, kwargs, "O|OOO:Variable", keywords, &type, &owner, &index, &name);
    if (owner != Py_None || index != Py_None)
      throw Error(
          ErrorKind::Type,
          "Variable(type, name=) makes a free variable, which has no owner and no index; an "
          "Apply has the outputs that it is given Types' variables for: "
          "tv.Apply(op, inputs, [type()]).outputs.");
    const std::string_view text = name == Py_None ? "" : text_of(name, "a variable's name");
    return PyRef::take(wrap(Variable::input(unwrap_type(type), text)));
  });
}

PyMethodDef functions[] = {
    {"set_indexing", set_indexing, METH_VARARGS,
     "set_indexing(get, set)\n--\n\nWhat ``x[key]`` and ``x[key] = value`` call, with these."},
    {nullptr, nullptr, 0, nullptr},
};

// Identity: two objects for one variable do not exist at one time, so the address will do.
Py_hash_t variable_hash(PyObject* self) {
#if PY_VERSION_HEX >= 0x030D0000
  return Py_HashPointer(self);
#else
  return _Py_HashPointer(self);
#endif
}

PyObject* get_name(PyObject* self, void*) {
  return guard([&] {
    const std::string_view name = unwrap(self).name();
    return name.empty() ? PyRef::borrow(Py_None) : to_text(name);
  });
}

int set_name(PyObject* self, PyObject* value, void*) {
  return guard([&] {
    if (value == nullptr || value == Py_None) {
      unwrap(self).set_name({});
    } else if (PyUnicode_Check(value)) {
      unwrap(self).set_name(text_of(value, "a variable's name"));
    } else {
      throw Error(ErrorKind::Type, "a variable's name is a str or None, not " + str_of(value) +
                                       " (of class " + class_name(value) + ")");
    }
    return 0;
  });
}

PyObject* get_index(PyObject* self, void*) { return PyLong_FromUnsignedLong(unwrap(self).index()); }

// "x has no dtype: it is a generic": an AttributeError, so that hasattr and getattr with a default
// work, and a TypeError, since whoever asks has been given a variable of the wrong type.
PyObject* no_tensor_error = nullptr;

const TensorType& tensor_of(const Variable& variable, const char* attribute) {
  const TensorType* tensor = variable.type().tensor();
  if (tensor != nullptr) return *tensor;
  PyErr_Format(no_tensor_error,
               "%s has no %s: its type is %s, and only tensors have one; an Op of your own "
               "(tv.Op) can make a tensor of it",
               variable.text().c_str(), attribute, variable.type().text().c_str());
  throw PythonError{};
}

PyObject* get_leaf(PyObject* self, void*) {
  switch (unwrap(self).leaf()) {
    case Leaf::Input: return PyUnicode_InternFromString("input");
    case Leaf::Constant: return PyUnicode_InternFromString("constant");
    case Leaf::Shared: return PyUnicode_InternFromString("shared");
    case Leaf::None: break;
  }
  Py_RETURN_NONE;
}

PyObject* get_value(PyObject* self, void*) {
  return guard([&] {
    const Variable& variable = unwrap(self);
    if (!variable.is_constant()) {
      PyErr_Format(PyExc_AttributeError,
                   "%s is no constant, so it has no value; compute it with tv.function(...), or "
                   "read a shared variable with get_value()",
                   variable.text().c_str());
      throw PythonError{};
    }
    // A copy: what is known of a constant while a graph is rewritten has to stay true.
    return to_python(copy_value(variable.constant_value(), variable.type()), variable.type());
  });
}

PyObject* get_weak(PyObject* self, void*) { return PyBool_FromLong(unwrap(self).weak() ? 1 : 0); }

PyGetSetDef variable_attributes[] = {
    {"name", get_name, set_name, "The name, or None.", nullptr},
    readable<[](PyObject* self) { return wrap_type(unwrap(self).type()); }>(
        "type", "What the variable may hold: a TensorType, GenericType or Type."),
    readable<[](PyObject* self) {
      const Variable& variable = unwrap(self);
      return variable.is_leaf() ? Py_NewRef(Py_None) : wrap_node(variable.node());
    }>("owner", "The Apply that computes the variable; None for a leaf."),
    {"index", get_index, nullptr, "Which of its owner's outputs it is.", nullptr},
    readable<[](PyObject* self) {
      return to_text(name(tensor_of(unwrap(self), "dtype").dtype()));
    }>("dtype", "The name of its elements' dtype."),
    readable<[](PyObject* self) {
      return PyRef::take(PyLong_FromLong(tensor_of(unwrap(self), "ndim").ndim()));
    }>("ndim", "Its number of dimensions."),
    readable<[](PyObject* self) {
      const TensorType& type = tensor_of(unwrap(self), "broadcastable");
      return attribute(PyRef::take(wrap_type(type)).get(), "broadcastable");
    }>("broadcastable", "For each axis whether its length is known to be 1."),
    {"leaf", get_leaf, nullptr,
     "'input', 'constant' or 'shared'; None for a variable that is computed.", nullptr},
    {"value", get_value, nullptr, "A constant's value.", nullptr},
    {"weak", get_weak, nullptr,
     "Whether it is a constant that stands for a Python number, whose dtype yields to others'.",
     nullptr},
    readable<[](PyObject* self) { return to_text(unwrap(self).node()->origin_text()); }>(
        "origin",
        "The line of the user's code that made it (\"fit.py:12 in step\"); empty for a leaf."),
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

PyMemberDef variable_members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(VariableObject, weak_references), READONLY,
     nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

}  // namespace

PyObject* wrap(const Variable& variable) {
  void*& handle = variable.handle();
  if (handle != nullptr) return Py_NewRef(static_cast<PyObject*>(handle));
  VariableObject* object = new_object();
  new (&object->variable) Variable(variable);
  object->weak_references = nullptr;
  handle = object;
  auto* result = reinterpret_cast<PyObject*>(object);
  track_holder(result);
  return result;
}

PyRef wrap_list(std::span<const Variable> variables) { return list_of(variables, wrap); }

PyRef wrap_tuple(std::span<const Variable> variables) { return tuple_of(variables, wrap); }

const Variable& require_variable(PyObject* object, const char* what) {
  if (is_variable(object)) return unwrap(object);
  throw Error(ErrorKind::Type, std::string(what) + " has to be a Variable, not a " +
                                   class_name(object) + "; tv.as_variable(value) makes one");
}

std::vector<Variable> require_variables(PyObject* iterable, const char* what) {
  if (is_variable(iterable))
    throw Error(ErrorKind::Type,
                std::string(what) + " has to be a list of Variables, not one Variable");
  const Items items(iterable, "a list of Variables is expected");
  std::vector<Variable> variables;
  variables.reserve(static_cast<std::size_t>(items.size()));
  for (Py_ssize_t i = 0; i < items.size(); ++i) {
    const std::string item = std::string(what) + "[" + std::to_string(i) + "]";
    variables.push_back(require_variable(items[i], item.c_str()));
  }
  return variables;
}

void init_variable(PyObject* module) {
  static PyType_Slot slots[] = {
      {Py_tp_doc,
       const_cast<char*>(R"(A value that is not computed yet: one output of a node, or a leaf.

Arithmetic on Variables builds graph, and so do comparisons, ``==`` and ``!=`` too. Hashes are by
identity, so that Variables may be keys of dicts and members of sets. ``a is b`` tells if two names
stand for one Variable, ``any(v is x for v in xs)`` if a list has it.

Examples
--------
>>> x = tv.vector("x")
>>> y = (x - x.mean()) ** 2
>>> y.owner.op.name, y.dtype, y.ndim, x.owner
('pow', 'float64', 1, None)
>>> tv.function([x], y)([1.0, 3.0])
array([1., 1.])
)")},
      {Py_tp_dealloc, reinterpret_cast<void*>(variable_dealloc)},
      {Py_tp_traverse, reinterpret_cast<void*>(variable_traverse)},
      {Py_tp_clear, reinterpret_cast<void*>(variable_clear)},
      {Py_tp_hash, reinterpret_cast<void*>(variable_hash)},
      {Py_tp_new, reinterpret_cast<void*>(variable_new)},
      {Py_tp_getset, variable_attributes},
      {Py_tp_members, variable_members},
      {Py_tp_richcompare, reinterpret_cast<void*>(compare_variables)},
      {Py_mp_subscript, reinterpret_cast<void*>(variable_subscript)},
      {Py_mp_ass_subscript, reinterpret_cast<void*>(variable_assign_subscript)},
      {Py_nb_add, reinterpret_cast<void*>(variable_add)},
      {Py_nb_subtract, reinterpret_cast<void*>(variable_subtract)},
      {Py_nb_multiply, reinterpret_cast<void*>(variable_multiply)},
      {Py_nb_true_divide, reinterpret_cast<void*>(variable_true_divide)},
      {Py_nb_floor_divide, reinterpret_cast<void*>(variable_floor_divide)},
      {Py_nb_remainder, reinterpret_cast<void*>(variable_remainder)},
      {Py_nb_power, reinterpret_cast<void*>(variable_power)},
      {Py_nb_matrix_multiply, reinterpret_cast<void*>(variable_matrix_multiply)},
      {Py_nb_and, reinterpret_cast<void*>(variable_and)},
      {Py_nb_or, reinterpret_cast<void*>(variable_or)},
      {Py_nb_xor, reinterpret_cast<void*>(variable_xor)},
      {Py_nb_lshift, reinterpret_cast<void*>(variable_left_shift)},
      {Py_nb_rshift, reinterpret_cast<void*>(variable_right_shift)},
      {Py_nb_negative, reinterpret_cast<void*>(variable_negative)},
      {Py_nb_positive, reinterpret_cast<void*>(variable_positive)},
      {Py_nb_absolute, reinterpret_cast<void*>(variable_absolute)},
      {Py_nb_invert, reinterpret_cast<void*>(variable_invert)},
      {Py_nb_bool, reinterpret_cast<void*>(variable_bool)},
      {0, nullptr},
  };
  static PyType_Spec spec = {"thunkvm._core.Variable", sizeof(VariableObject), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, slots};
  variable_class = add_class(module, spec);
  add_holder_class(variable_class);
  check(PyModule_AddFunctions(module, functions));
  PyRef bases = PyRef::take(PyTuple_Pack(2, PyExc_AttributeError, PyExc_TypeError));
  no_tensor_error =
      PyRef::take(PyErr_NewException("thunkvm._core.NoTensorError", bases.get(), nullptr))
          .release();
}

}  // namespace thunkvm
