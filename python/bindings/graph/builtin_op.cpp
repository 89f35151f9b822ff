// builtin_op.cpp: Ops of the machine as Python objects. By hand: comparisons and a call by slots.
#include "python/bindings/graph/builtin_op.h"

#include "ops/graph/registry.h"
#include "python/bindings/graph/attribute.h"
#include "python/bindings/graph/variable.h"
#include "python/bindings/python/list_of.h"
#include "python/bindings/python/topics.h"

#include <functional>
#include <string>
#include <vector>

namespace thunkvm {
namespace {

struct BuiltinOpObject {
  PyObject_HEAD const Op* op;  // retained
};

PyTypeObject* builtin_op_class = nullptr;

const Op& op_of(PyObject* self) { return *reinterpret_cast<BuiltinOpObject*>(self)->op; }

void builtin_op_dealloc(PyObject* self) {
  op_of(self).release();
  free_object(self);
}

PyObject* builtin_op_text(PyObject* self) {
  return guard([&] { return to_text(op_of(self).text()); });
}

PyObject* builtin_op_compare(PyObject* a, PyObject* b, int comparison) {
  if (!is_builtin_op(a) || !is_builtin_op(b) || (comparison != Py_EQ && comparison != Py_NE))
    Py_RETURN_NOTIMPLEMENTED;
  return guard([&] {
    const Op &x = op_of(a), &y = op_of(b);
    const bool equal = &x == &y || (x.proto() != nullptr && x.proto() == y.proto() &&
                                    x.attributes() == y.attributes());
    return PyRef::borrow(equal == (comparison == Py_EQ) ? Py_True : Py_False);
  });
}

Py_hash_t builtin_op_hash(PyObject* self) {
  return guard([&] {
    const auto hash = static_cast<Py_hash_t>(std::hash<std::string>{}(op_of(self).name()));
    return hash == -1 ? -2 : hash;
  });
}

// Applies the Op to other inputs: one Variable, or a list of them.
PyObject* builtin_op_call(PyObject* self, PyObject* args, PyObject* kwargs) {
  return guard([&] {
    if (kwargs != nullptr && PyDict_GET_SIZE(kwargs) != 0)
      throw Error(ErrorKind::Type,
                  op_of(self).text() + " has its attributes already; it takes inputs only");
    std::vector<Variable> inputs;
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(args); ++i)
      inputs.push_back(as_variable(PyTuple_GET_ITEM(args, i)));
    const std::vector<Variable> outputs = op_of(self).call(inputs);
    return outputs.size() == 1 ? PyRef::take(wrap(outputs.front())) : wrap_list(outputs);
  });
}

PyRef registry_name(const Op& op) {
  return op.proto() == nullptr ? PyRef::borrow(Py_None) : to_text(op.proto()->name);
}

PyRef alias_dict(const AliasMap& map) {
  PyRef dict = PyRef::take(PyDict_New());
  for (const auto& [output, inputs] : map) {
    const PyRef list = list_of(inputs, PyLong_FromUnsignedLong);
    check(
        PyDict_SetItem(dict.get(), PyRef::take(PyLong_FromUnsignedLong(output)).get(), list.get()));
  }
  return dict;
}

PyGetSetDef builtin_op_attributes[] = {
    readable<[](PyObject* self) { return to_text(op_of(self).name()); }>("name",
                                                                         "What messages call it."),
    readable<[](PyObject* self) { return registry_name(op_of(self)); }>(
        "type", "The name in the registry; None of an Op of linked graphs alone."),
    readable<[](PyObject* self) { return attribute_dict(op_of(self).attributes()); }>(
        "attrs", "The attributes, by name; dtypes as str."),
    readable<[](PyObject* self) { return alias_dict(op_of(self).view_map()); }>(
        "view_map", "{output: [inputs that it may be a view of]}"),
    readable<[](PyObject* self) { return alias_dict(op_of(self).destroy_map()); }>(
        "destroy_map", "{output: [inputs that it may overwrite]}"),
    readable<[](PyObject* self) {
      return Py_NewRef(op_of(self).shape_query() != nullptr ? Py_True : Py_False);
    }>("is_of_lengths", "Whether it reads no more of its inputs than their lengths."),
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

}  // namespace

PyObject* wrap_builtin_op(const Op& op) {
  PyObject* object = builtin_op_class->tp_alloc(builtin_op_class, 0);
  if (object == nullptr) throw PythonError{};
  op.retain();
  reinterpret_cast<BuiltinOpObject*>(object)->op = &op;
  return object;
}

bool is_builtin_op(PyObject* object) { return Py_IS_TYPE(object, builtin_op_class); }
Ref<const Op> unwrap_builtin_op(PyObject* object) { return Ref<const Op>(&op_of(object)); }

void init_builtin_op(PyObject* module) {
  static PyType_Slot slots[] = {
      {Py_tp_doc, const_cast<char*>("An Op of the machine, with its attributes.\n\nCalling it "
                                    "applies it to other inputs.")},
      {Py_tp_dealloc, reinterpret_cast<void*>(builtin_op_dealloc)},
      {Py_tp_repr, reinterpret_cast<void*>(builtin_op_text)},
      {Py_tp_richcompare, reinterpret_cast<void*>(builtin_op_compare)},
      {Py_tp_hash, reinterpret_cast<void*>(builtin_op_hash)},
      {Py_tp_call, reinterpret_cast<void*>(builtin_op_call)},
      {Py_tp_getset, builtin_op_attributes},
      {0, nullptr},
  };
  static PyType_Spec spec = {"thunkvm._core.BuiltinOp", sizeof(BuiltinOpObject), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  builtin_op_class = add_class(module, spec);
}

}  // namespace thunkvm
