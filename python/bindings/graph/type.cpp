// type.cpp: Types as Python objects. By hand: users derive them, and they have slots of their own.
#include "python/bindings/graph/type.h"

#include "python/bindings/graph/collection.h"
#include "python/bindings/graph/value.h"
#include "python/bindings/graph/variable.h"
#include "python/bindings/python/list_of.h"
#include "python/bindings/python/topics.h"

#include <structmember.h>

#include <string>
#include <unordered_map>

namespace thunkvm {
namespace {

// `thunkvm._core.Type` and what derives it. A TensorType's or GenericType's object holds its type,
// and is the only one while it lives, so that types compare by identity here too. A user's object
// does not hold its PythonType, which holds the object; null while there is none.
struct TypeObject {
  PyObject_HEAD const Type* type;
};

PyTypeObject* type_class = nullptr;
PyTypeObject* tensor_type_class = nullptr;
PyTypeObject* generic_type_class = nullptr;

std::unordered_map<const Type*, PyObject*>& objects() {
  static auto* table = new std::unordered_map<const Type*, PyObject*>;
  return *table;
}

const TensorType& tensor_type_of(PyObject* object) { return *type_of(object)->tensor(); }

void built_in_type_dealloc(PyObject* self) {
  objects().erase(type_of(self));
  type_of(self)->release();
  free_object(self);
}

PyObject* wrap_built_in(const Type& type) {
  auto [entry, fresh] = objects().try_emplace(&type, nullptr);
  if (!fresh) return Py_NewRef(entry->second);
  PyTypeObject* made_from = type.tensor() != nullptr ? tensor_type_class : generic_type_class;
  PyObject* object = made_from->tp_alloc(made_from, 0);
  if (object == nullptr) {
    objects().erase(entry);
    throw PythonError{};
  }
  type.retain();
  type_of(object) = &type;
  entry->second = object;
  return object;
}

// ---- Type

PyObject* type_repr(PyObject* self) { return PyUnicode_FromString(Py_TYPE(self)->tp_name); }

PyObject* type_call(PyObject* self, PyObject* args, PyObject* kwargs) {
  static const char* keywords[] = {"name", nullptr};
  PyObject* name = Py_None;
  return guard([&] {
    parse(args, kwargs, "|O", keywords, &name);
    const Variable variable = Variable::input(unwrap_type(self));
    PyRef object = PyRef::take(wrap(variable));
    check(PyObject_SetAttrString(object.get(), "name", name));
    return object;
  });
}

const char* kFilterKeywords[] = {"value", "strict", "allow_downcast", nullptr};

PyObject* type_filter(PyObject*, PyObject* args, PyObject* kwargs) {
  PyObject* value = nullptr;
  int strict = 0;
  PyObject* allow_downcast = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|pO", const_cast<char**>(kFilterKeywords),
                                   &value, &strict, &allow_downcast))
    return nullptr;
  return Py_NewRef(value);
}

PyObject* type_copy(PyObject*, PyObject* value) {
  return guard([&] {
    PyRef copy = PyRef::take(PyImport_ImportModule("copy"));
    return PyRef::take(PyObject_CallMethod(copy.get(), "deepcopy", "O", value));
  });
}

PyMethodDef type_methods[] = {
    {"filter", with_keywords(type_filter), METH_VARARGS | METH_KEYWORDS,
     "filter($self, value, strict=False, allow_downcast=None)\n--\n\n"
     "The value as this Type keeps it; raises TypeError for what it cannot keep. This one takes "
     "anything."},
    {"copy", type_copy, METH_O,
     "copy($self, value, /)\n--\n\n"
     "A value that shares nothing with this one, for Ops that destroy their input. This one is "
     "``copy.deepcopy``."},
    {nullptr, nullptr, 0, nullptr},
};

// ---- TensorType

StaticShape shape_of(PyObject* object) {
  if (!PySequence_Check(object) || PyUnicode_Check(object))
    throw Error(ErrorKind::Type, "TensorType(shape=) is " + str_of(object) + " (" +
                                     class_name(object) +
                                     "); it has to be a tuple with one length for each dimension, "
                                     "None for an unknown one, such as (3, None)");
  StaticShape shape;
  for (PyObject* item : Items(object, "TensorType(shape=) has to be a tuple")) {
    if (item == Py_None || PyBool_Check(item)) {  // a bool is Theano's: whether the axis broadcasts
      shape.push_back(item == Py_True ? 1 : kUnknownLength);
      continue;
    }
    const Py_ssize_t length = PyNumber_AsSsize_t(item, nullptr);
    if (length == -1 && PyErr_Occurred() != nullptr) {
      PyErr_Clear();
      throw Error(ErrorKind::Type, "TensorType(shape=): " + str_of(item) + " (" + class_name(item) +
                                       ") is no length; give an int, or None for an unknown one");
    }
    if (length < 0)
      throw Error(ErrorKind::Value, "TensorType(shape=): length " + std::to_string(length) +
                                        " is negative; use None for an unknown length");
    shape.push_back(length);
  }
  if (shape.size() > static_cast<std::size_t>(kMaxDims))
    throw Error(ErrorKind::Value, "TensorType(shape=) has " + std::to_string(shape.size()) +
                                      " dimensions; the most is " + std::to_string(kMaxDims));
  return shape;
}

// `shape`, or Theano's `broadcastable` in its place; null where neither is given.
PyObject* shape_or_broadcastable(PyObject* shape, PyObject* broadcastable) {
  if (broadcastable == Py_None) return shape == Py_None ? nullptr : shape;
  if (shape != Py_None)
    throw Error(ErrorKind::Type, "TensorType got shape=" + str_of(shape) +
                                     " and broadcastable=" + str_of(broadcastable) +
                                     ", which say the same: leave broadcastable out");
  return broadcastable;
}

PyObject* tensor_type_new(PyTypeObject*, PyObject* args, PyObject* kwargs) {
  static const char* keywords[] = {"dtype", "shape", "broadcastable", nullptr};
  PyObject *dtype = nullptr, *shape = Py_None, *broadcastable = Py_None;
  return guard([&] {
    parse(args, kwargs, "O|OO:TensorType", keywords, &dtype, &shape, &broadcastable);
    PyObject* given = shape_or_broadcastable(shape, broadcastable);
    return wrap_built_in(*TensorType::of(dtype_of_object(dtype, "TensorType(dtype=)"),
                                         shape_of(given == nullptr ? Py_None : given)));
  });
}

PyRef shape_tuple(const TensorType& type) {
  return tuple_of(type.shape(), [](std::int64_t length) {
    return length == kUnknownLength ? Py_NewRef(Py_None) : PyLong_FromLongLong(length);
  });
}

PyObject* tensor_type_repr(PyObject* self) {
  return guard([&] {
    const TensorType& type = tensor_type_of(self);
    return to_text("TensorType(" + std::string(name(type.dtype())) +
                   ", shape=" + str_of(shape_tuple(type).get()) + ")");
  });
}

PyGetSetDef tensor_type_attributes[] = {
    readable<[](PyObject* self) { return to_text(name(tensor_type_of(self).dtype())); }>(
        "dtype", "The name of the elements' dtype."),
    readable<[](PyObject* self) { return PyLong_FromLong(tensor_type_of(self).ndim()); }>(
        "ndim", "The number of dimensions."),
    readable<[](PyObject* self) { return shape_tuple(tensor_type_of(self)); }>(
        "shape", "The lengths that are known; None for the others."),
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

PyObject* tensor_type_filter(PyObject* self, PyObject* args, PyObject* kwargs) {
  PyObject* value = nullptr;
  int strict = 0;
  PyObject* allow_downcast = Py_None;
  return guard([&] {
    parse(args, kwargs, "O|pO:filter", kFilterKeywords, &value, &strict, &allow_downcast);
    const CastRule rule = strict != 0                                   ? CastRule::Strict
                          : check(PyObject_IsTrue(allow_downcast)) != 0 ? CastRule::Downcast
                                                                        : CastRule::Safe;
    const Type& type = *type_of(self);
    return to_python(from_python(value, type, rule, "value"), type);
  });
}

PyObject* tensor_type_copy(PyObject* self, PyObject* value) {
  return guard([&] {
    const Type& type = *type_of(self);
    return to_python(copy_value(from_python(value, type, CastRule::Strict, "value"), type), type);
  });
}

PyObject* tensor_type_reduce(PyObject* self, PyObject*) {
  return guard([&] {
    const TensorType& type = tensor_type_of(self);
    const std::string dtype(name(type.dtype()));
    return PyRef::take(
        Py_BuildValue("O(sN)", Py_TYPE(self), dtype.c_str(), shape_tuple(type).release()));
  });
}

PyObject* tensor_type_clone(PyObject* self, PyObject* args, PyObject* kwargs) {
  static const char* keywords[] = {"dtype", "shape", "broadcastable", nullptr};
  PyObject *dtype = Py_None, *shape = Py_None, *broadcastable = Py_None;
  return guard([&] {
    parse(args, kwargs, "|OOO:clone", keywords, &dtype, &shape, &broadcastable);
    const TensorType& type = tensor_type_of(self);
    PyObject* given = shape_or_broadcastable(shape, broadcastable);
    return wrap_built_in(*TensorType::of(
        dtype == Py_None ? type.dtype() : dtype_of_object(dtype, "TensorType.clone(dtype=)"),
        given == nullptr ? type.shape() : shape_of(given)));
  });
}

PyMethodDef tensor_type_methods[] = {
    {"clone", with_keywords(tensor_type_clone), METH_VARARGS | METH_KEYWORDS,
     "clone($self, dtype=None, shape=None, broadcastable=None)\n--\n\n"
     "The type with another dtype, or other lengths."},
    {"filter", with_keywords(tensor_type_filter), METH_VARARGS | METH_KEYWORDS,
     "filter($self, value, strict=False, allow_downcast=None)\n--\n\n"
     "The value as an array (or NumPy scalar) of this type; raises TypeError or ValueError where "
     "it does not fit."},
    {"copy", tensor_type_copy, METH_O, "copy($self, value, /)\n--\n\nA copy of an array."},
    {"__reduce__", tensor_type_reduce, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

// ---- GenericType

PyObject* generic_type_new(PyTypeObject*, PyObject* args, PyObject* kwargs) {
  static const char* keywords[] = {nullptr};
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, ":GenericType", const_cast<char**>(keywords)))
    return nullptr;
  return guard([] { return wrap_built_in(*GenericType::instance()); });
}

PyObject* generic_type_repr(PyObject*) { return PyUnicode_FromString("GenericType()"); }

PyObject* generic_type_reduce(PyObject* self, PyObject*) {
  return Py_BuildValue("O()", Py_TYPE(self));
}

PyMethodDef generic_type_methods[] = {
    {"__reduce__", generic_type_reduce, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

// ---- both ways

const Type*& type_of(PyObject* object) { return reinterpret_cast<TypeObject*>(object)->type; }

bool is_type(PyObject* object) { return PyObject_TypeCheck(object, type_class); }

PyObject* wrap_type(const Type& type) {
  if (const auto* of_user = dynamic_cast<const PythonType*>(&type))
    return Py_NewRef(of_user->object());
  return wrap_built_in(type);
}

TypeRef unwrap_type(PyObject* object) {
  if (!is_type(object)) {
    const std::string hint = PyType_Check(object) ? "; make an instance of it" : "";
    throw Error(ErrorKind::Type,
                str_of(object) + " (" + class_name(object) +
                    ") is not a Type: TensorType(dtype, shape), GenericType() or an instance of a "
                    "class that derives tv.Type is expected" +
                    hint);
  }
  if (type_of(object) == nullptr) return TypeRef(new PythonType(object));
  return TypeRef(type_of(object));
}

void init_type(PyObject* module) {
  static PyType_Slot slots[] = {
      {Py_tp_doc, const_cast<char*>(R"(Type(*args, **kwargs)
--

What Variables of a kind hold; derive it for values of your own.

Calling an instance makes a fresh Variable: ``x = MyType()("x")``. Override ``filter`` to check and
convert the values of callers, and ``copy`` where ``copy.deepcopy`` will not do.

Examples
--------
>>> class Text(tv.Type):
...     def filter(self, value, strict=False, allow_downcast=None):
...         if not isinstance(value, str):
...             raise TypeError(f"{value!r} is no str")
...         return value
>>> kind = Text()
>>> text = kind("text")
>>> length = tv.as_op(lambda text: np.asarray(len(text)), [kind], [tv.lscalar])
>>> f = tv.function([text], length(text) + 1)
>>> int(f("thunk"))
6
)")},
      {Py_tp_new, reinterpret_cast<void*>(PyType_GenericNew)},
      {Py_tp_dealloc, reinterpret_cast<void*>(free_object)},
      {Py_tp_repr, reinterpret_cast<void*>(type_repr)},
      {Py_tp_call, reinterpret_cast<void*>(type_call)},
      {Py_tp_methods, type_methods},
      {0, nullptr},
  };
  static PyType_Spec spec = {"thunkvm._core.Type", sizeof(TypeObject), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, slots};
  type_class = add_class(module, spec);

  static PyType_Slot tensor_slots[] = {
      {Py_tp_doc, const_cast<char*>(R"(TensorType(dtype, shape=None, broadcastable=None)
--

Arrays of one dtype and number of dimensions; None in `shape` is an unknown length.

`broadcastable` is Theano's: a bool for each axis in place of the shape, True for length 1. `shape`
takes bools too.

Examples
--------
>>> rows_of_3 = tv.TensorType("float64", (None, 3))
>>> x = rows_of_3("x")
>>> x.ndim, x.type == rows_of_3, x.type == tv.matrix().type
(2, True, False)
>>> tv.function([x], x.sum(axis=0))([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
array([5., 7., 9.])
)")},
      {Py_tp_new, reinterpret_cast<void*>(tensor_type_new)},
      {Py_tp_dealloc, reinterpret_cast<void*>(built_in_type_dealloc)},
      {Py_tp_repr, reinterpret_cast<void*>(tensor_type_repr)},
      {Py_tp_methods, tensor_type_methods},
      {Py_tp_getset, tensor_type_attributes},
      {0, nullptr},
  };
  static PyType_Spec tensor_spec = {"thunkvm._core.TensorType", sizeof(TypeObject), 0,
                                    Py_TPFLAGS_DEFAULT, tensor_slots};
  tensor_type_class = add_class(module, tensor_spec, type_class);

  static PyType_Slot generic_slots[] = {
      {Py_tp_doc, const_cast<char*>(R"(GenericType()
--

Any Python object: the Type of values that are no tensors.

Examples
--------
>>> table = tv.GenericType()("table")
>>> look_up = tv.as_op(lambda table: np.asarray(table["b"]), [tv.GenericType()], [tv.dscalar])
>>> float(tv.function([table], look_up(table) * 10.0)({"a": 1.0, "b": 2.0}))
20.0
)")},
      {Py_tp_new, reinterpret_cast<void*>(generic_type_new)},
      {Py_tp_dealloc, reinterpret_cast<void*>(built_in_type_dealloc)},
      {Py_tp_repr, reinterpret_cast<void*>(generic_type_repr)},
      {Py_tp_methods, generic_type_methods},
      {0, nullptr},
  };
  static PyType_Spec generic_spec = {"thunkvm._core.GenericType", sizeof(TypeObject), 0,
                                     Py_TPFLAGS_DEFAULT, generic_slots};
  generic_type_class = add_class(module, generic_spec, type_class);
}

}  // namespace thunkvm
