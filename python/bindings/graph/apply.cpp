// apply.cpp: nodes as Python objects. By hand: graphs are made of them, and the garbage collector
// asks them.
#include "python/bindings/graph/apply.h"

#include "ops/graph/op.h"
#include "python/bindings/graph/collection.h"
#include "python/bindings/graph/origin.h"
#include "python/bindings/graph/python_op.h"
#include "python/bindings/graph/variable.h"
#include "python/bindings/python/topics.h"

#include <structmember.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace thunkvm {
namespace {

struct ApplyObject {
  PyObject_HEAD Apply* node;  // retained; null once the garbage collector took it
  PyObject* weak_references;
};

PyTypeObject* apply_class = nullptr;

ApplyObject* self_of(PyObject* self) { return reinterpret_cast<ApplyObject*>(self); }

int apply_traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  const Apply* node = self_of(self)->node;
  if (node == nullptr) return 0;
  return visit_graph(self, visit, arg, [&](GraphVisit& graph) { graph.node(node); });
}

int apply_clear(PyObject* self) {
  leave_holder(self);
  if (Apply* node = std::exchange(self_of(self)->node, nullptr)) node->release();
  return 0;
}

void apply_dealloc(PyObject* self) {
  PyObject_GC_UnTrack(self);
  if (self_of(self)->weak_references != nullptr) PyObject_ClearWeakRefs(self);
  apply_clear(self);
  PyTypeObject* type = Py_TYPE(self);
  PyObject_GC_Del(self);
  Py_DECREF(type);
}

// An output that make_node made with `type()`: a free variable that nothing else uses, held by its
// Python object alone. Its object becomes that of the node's output.
void require_fresh(const std::string& op, const Items& outputs, Py_ssize_t j) {
  PyObject* output = outputs[j];
  const std::string what = "[" + op + "] Apply: output " + std::to_string(j) + " ";
  if (!is_variable(output))
    throw Error(ErrorKind::Type, what + "is a " + class_name(output) +
                                     "; it has to be a fresh Variable, made by calling a Type");
  const Variable& variable = unwrap(output);
  bool fresh = variable.leaf() == Leaf::Input && variable.node()->references() == 1;
  for (Py_ssize_t i = 0; i < j; ++i) fresh = fresh && outputs[i] != output;
  if (!fresh)
    throw Error(ErrorKind::Value, what + "(" + variable.text() +
                                      ") is in use already; make a fresh one by calling a Type, "
                                      "for example x.type()");
}

void become_output(PyObject* output, Apply* node, std::uint32_t j) {
  Variable& held = reinterpret_cast<VariableObject*>(output)->variable;
  Variable variable(node, j);
  if (!held.name().empty()) variable.set_name(held.name());
  held.handle() = nullptr;
  variable.handle() = output;
  held = std::move(variable);
  if (!PyObject_GC_IsTracked(output)) PyObject_GC_Track(output);
}

PyObject* apply_new(PyTypeObject*, PyObject* args, PyObject* kwargs) {
  static const char* keywords[] = {"op", "inputs", "outputs", nullptr};
  PyObject* op_object = nullptr;
  PyObject* input_objects = nullptr;
  PyObject* output_objects = nullptr;
  return guard([&] {
    parse(args, kwargs, "OOO:Apply", keywords, &op_object, &input_objects, &output_objects);
    const Ref<const Op> op = unwrap_op(op_object);
    if (python_op(op.get()) == nullptr)
      throw Error(ErrorKind::Type, "Apply: " + op->name() +
                                       " is a built-in Op, which makes its nodes itself: call "
                                       "op(*inputs) instead");
    const std::string prefix = "[" + op->name() + "] Apply(inputs=)";
    const std::vector<Variable> inputs = require_variables(input_objects, prefix.c_str());
    const Items outputs(output_objects, "Apply(outputs=) has to be a list of Variables");
    const Py_ssize_t n = outputs.size();
    if (n == 0)
      throw Error(ErrorKind::Value,
                  "[" + op->name() + "] Apply: outputs is empty; a node has at least one output");
    python_op(op.get())->check_alias_maps(inputs.size(), static_cast<std::size_t>(n));
    std::vector<TypeRef> types;
    for (Py_ssize_t j = 0; j < n; ++j) {
      require_fresh(op->name(), outputs, j);
      types.push_back(unwrap(outputs[j]).type_ref());
    }
    Apply* node = Apply::make(op, inputs, types);
    PyRef object = PyRef::take(wrap_node(node));
    for (Py_ssize_t j = 0; j < n; ++j)
      become_output(outputs[j], node, static_cast<std::uint32_t>(j));
    return object;
  });
}

Py_hash_t apply_hash(PyObject* self) {
  return static_cast<Py_hash_t>(reinterpret_cast<std::uintptr_t>(self_of(self)->node) >> 4);
}

PyObject* apply_compare(PyObject* a, PyObject* b, int comparison) {
  if (!is_node(a) || !is_node(b) || (comparison != Py_EQ && comparison != Py_NE))
    Py_RETURN_NOTIMPLEMENTED;
  return PyBool_FromLong((self_of(a)->node == self_of(b)->node) == (comparison == Py_EQ));
}

PyRef origin_parts(PyObject* self) {
  const Place place = origin_place(unwrap_node(self));
  return PyRef::take(Py_BuildValue("(NiN)", to_text(place.file).release(), place.line,
                                   to_text(place.text).release()));
}

PyGetSetDef apply_attributes[] = {
    readable<[](PyObject* self) { return wrap_op(*unwrap_node(self).op()); }>(
        "op", "The Op that is applied."),
    readable<[](PyObject* self) { return wrap_list(unwrap_node(self).inputs()); }>(
        "inputs", "The Variables that it is applied to."),
    readable<[](PyObject* self) { return wrap_list(unwrap_node(self).outputs()); }>(
        "outputs", "The Variables that it computes."),
    readable<[](PyObject* self) { return to_text(unwrap_node(self).origin_text()); }>(
        "origin", "The line of the user's code that made it, for example \"fit.py:12 in step\"."),
    readable<&origin_parts>("_origin_place",
                            "The file of the origin with the folders that it is in, its line (0: "
                            "unknown), and the text "
                            "that was given with it."),
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

PyMemberDef apply_members[] = {
    {"__weaklistoffset__", T_PYSSIZET, offsetof(ApplyObject, weak_references), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

}  // namespace

PyObject* wrap_node(Apply* node) {
  const Variable hold(node, 0);
  ApplyObject* object = PyObject_GC_New(ApplyObject, apply_class);
  if (object == nullptr) throw PythonError{};
  node->retain();
  object->node = node;
  object->weak_references = nullptr;
  auto* result = reinterpret_cast<PyObject*>(object);
  track_holder(result);
  return result;
}

bool is_node(PyObject* object) { return Py_IS_TYPE(object, apply_class); }
Apply& unwrap_node(PyObject* object) {
  Apply* const node = self_of(object)->node;
  if (node == nullptr)
    throw Error(
        ErrorKind::Runtime,
        "this Apply has no node any more: the garbage collector took it with the cycle that "
        "it was part of");
  return *node;
}

void init_apply(PyObject* module) {
  static PyType_Slot slots[] = {
      {Py_tp_doc, const_cast<char*>(R"(Apply(op, inputs, outputs)
--

One application of an Op to Variables: the result of ``Op.make_node``.

The outputs are fresh Variables (``x.type()``), which become the node's own.

Examples
--------
>>> x = tv.vector("x")
>>> node = tv.exp(x).owner
>>> node.op.name, node.inputs[0] is x, node.outputs[0].ndim
('exp', True, 1)

A ``make_node`` makes one:

>>> class Doubled(tv.Op):
...     def make_node(self, x):
...         return tv.Apply(self, [x], [x.type()])
...     def perform(self, node, inputs, output_storage):
...         output_storage[0][0] = 2 * inputs[0]
>>> tv.function([x], Doubled()(x))([1.0, 2.0])
array([2., 4.])
)")},
      {Py_tp_new, reinterpret_cast<void*>(apply_new)},
      {Py_tp_dealloc, reinterpret_cast<void*>(apply_dealloc)},
      {Py_tp_traverse, reinterpret_cast<void*>(apply_traverse)},
      {Py_tp_clear, reinterpret_cast<void*>(apply_clear)},
      {Py_tp_hash, reinterpret_cast<void*>(apply_hash)},
      {Py_tp_richcompare, reinterpret_cast<void*>(apply_compare)},
      {Py_tp_getset, apply_attributes},
      {Py_tp_members, apply_members},
      {0, nullptr},
  };
  static PyType_Spec spec = {"thunkvm._core.Apply", sizeof(ApplyObject), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, slots};
  apply_class = add_class(module, spec);
  add_holder_class(apply_class);
}

}  // namespace thunkvm
