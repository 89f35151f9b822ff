// op_function.cpp: functions of Ops. By hand: vectorcall, since graphs are made by these calls.
#include "python/bindings/graph/op_function.h"

#include "ops/elementwise/elementwise.h"
#include "ops/graph/registry.h"
#include "python/bindings/graph/attribute.h"
#include "python/bindings/graph/limits.h"
#include "python/bindings/graph/op_documentation.h"
#include "python/bindings/graph/variable.h"
#include "python/bindings/python/list_of.h"
#include "python/bindings/python/topics.h"

#include <structmember.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace thunkvm {
namespace {

struct OpFunctionObject {
  PyObject_HEAD vectorcallfunc vectorcall;
  const OpProto* proto;  // the registry's, for good
  const Op* plain;       // retained: the Op without any attribute given; null until it is asked for
  Py_ssize_t n_required;  // inputs
  Py_ssize_t n_at_most;
  PyObject* signature;  // an inspect.Signature; null until it is asked for
  PyObject* weak_references;
};

PyTypeObject* op_function_class = nullptr;

OpFunctionObject* self_of(PyObject* self) { return reinterpret_cast<OpFunctionObject*>(self); }
const OpProto& proto_of(PyObject* self) { return *self_of(self)->proto; }

// The functions that were asked for, by name: they live as long as the process, as the registry
// does.
std::unordered_map<std::string, PyObject*>& functions() {
  static auto* table = new std::unordered_map<std::string, PyObject*>;
  return *table;
}

std::optional<std::size_t> input_named(const OpProto& proto, std::string_view name) {
  const auto found = std::ranges::find(proto.inputs, name, &VarProto::name);
  if (found == proto.inputs.end()) return std::nullopt;
  return static_cast<std::size_t>(found - proto.inputs.begin());
}

// Inputs in front of any number of others have places alone.
void refuse_input_by_keyword(const OpProto& proto, const std::string& name) {
  if (input_named(proto, name))
    throw Error(ErrorKind::Type, "[" + proto.name + "] takes its input '" + name +
                                     "' by position: " + proto.name + op_signature_text(proto));
}

// All inputs in their order, of which some are given by keyword; empty if none is. Null stands for
// one that is left out, None for one that may be.
std::vector<PyObject*> with_named_inputs(PyObject* self, std::span<PyObject* const> by_position,
                                         PyObject* names, PyObject* const* values) {
  const OpProto& proto = proto_of(self);
  std::vector<PyObject*> inputs;
  for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(names); ++k) {
    const auto i = input_named(proto, text_of(PyTuple_GET_ITEM(names, k), "a keyword's name"));
    if (!i) continue;
    if (*i < by_position.size())
      throw Error(ErrorKind::Type, "[" + proto.name + "] got the input '" + proto.inputs[*i].name +
                                       "' twice, by position and by keyword");
    if (inputs.empty()) inputs.assign(by_position.begin(), by_position.end());
    if (inputs.size() <= *i) inputs.resize(*i + 1, nullptr);
    inputs[*i] = values[k];
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i] != nullptr) continue;
    if (!proto.inputs[i].is_optional)
      throw Error(ErrorKind::Type, "[" + proto.name + "] needs the input '" + proto.inputs[i].name +
                                       "': " + proto.name + op_signature_text(proto));
    inputs[i] = Py_None;
  }
  return inputs;
}

// `names` are the keywords' of the call, or null.
[[noreturn]] void wrong_number_of_inputs(PyObject* self, Py_ssize_t n, PyObject* names) {
  const OpProto& proto = proto_of(self);
  const OpFunctionObject* function = self_of(self);
  const bool variadic = function->n_at_most == PY_SSIZE_T_MAX;
  for (Py_ssize_t k = 0; variadic && names != nullptr && k < PyTuple_GET_SIZE(names); ++k)
    refuse_input_by_keyword(proto,
                            std::string(text_of(PyTuple_GET_ITEM(names, k), "a keyword's name")));
  std::string count = std::to_string(function->n_required);
  if (function->n_at_most == PY_SSIZE_T_MAX) {
    count = "at least " + count;
  } else if (function->n_at_most != function->n_required) {
    count += " to " + std::to_string(function->n_at_most);
  }
  std::string message = "[" + proto.name + "] takes " + count + " input" +
                        (function->n_required == 1 && function->n_at_most == 1 ? "" : "s") + " (" +
                        proto.input_names() + "), but got " + std::to_string(n);
  if (n > function->n_at_most && !proto.attrs.empty())
    message += "; attributes go by keyword: " + proto.name + op_signature_text(proto);
  throw Error(ErrorKind::Type, message);
}

Variable input_of(PyObject* self, const Op& op, std::size_t i, std::span<PyObject* const> objects) {
  try {
    if (objects.size() != 2 || dynamic_cast<const ElementwiseOp*>(&op) == nullptr)
      return as_operand(objects[i]);
    return as_operand_beside(objects[i], objects[1 - i], op);
  } catch (const Error& error) {
    const OpProto& proto = proto_of(self);
    const VarProto& input = proto.inputs[std::min(i, proto.inputs.size() - 1)];
    throw Error(error.kind(), "[" + proto.name + "] input '" + input.name + "': " + error.what());
  }
}

PyRef apply(PyObject* self, const Op& op, std::span<PyObject* const> objects) {
  const auto outputs = [&] {
    if (objects.size() <= kFewInputs) {
      std::array<Variable, kFewInputs> inputs;
      for (std::size_t i = 0; i < objects.size(); ++i) inputs[i] = input_of(self, op, i, objects);
      return op.call(std::span<const Variable>(inputs.data(), objects.size()));
    }
    std::vector<Variable> inputs;
    for (std::size_t i = 0; i < objects.size(); ++i)
      inputs.push_back(input_of(self, op, i, objects));
    return op.call(inputs);
  }();
  return outputs.size() == 1 ? PyRef::take(wrap(outputs.front())) : wrap_tuple(outputs);
}

const Op& plain_op(PyObject* self) {
  OpFunctionObject* function = self_of(self);
  if (function->plain == nullptr) {
    const Ref<const Op> op = OpRegistry::create(function->proto->name, {});
    op->retain();
    function->plain = op.get();
  }
  return *function->plain;
}

// What another library's attribute is called here, or what to write instead: from the package's
// table.
void answer_foreign_attribute(const OpProto& proto, const std::string& name) {
  const PyRef names =
      list_of(proto.attrs, [](const AttrProto& attr) { return to_text(attr.name); });
  PyRef table = PyRef::take(PyImport_ImportModule("thunkvm._src.teaching.elsewhere"));
  PyRef told = PyRef::take(
      PyObject_CallMethod(table.get(), "keyword_advice", "sO", name.c_str(), names.get()));
  if (PyUnicode_GetLength(told.get()) > 0)
    throw Error(ErrorKind::Type, "[" + proto.name + "] has no attribute '" + name + "'; " +
                                     std::string(text_of(told.get())));
}

// `by_position` is the value of the one attribute, or null.
Ref<const Op> op_with(PyObject* self, PyObject* names, PyObject* const* values,
                      PyObject* by_position) {
  const OpProto& proto = proto_of(self);
  Attributes given;
  if (by_position != nullptr) {
    const AttrProto& attr = proto.attrs.front();
    given.set(attr.name, attribute_value(proto, attr, by_position));
  }
  const Py_ssize_t n = names == nullptr ? 0 : PyTuple_GET_SIZE(names);
  for (Py_ssize_t k = 0; k < n; ++k) {
    const std::string name(text_of(PyTuple_GET_ITEM(names, k), "an attribute's name"));
    const AttrProto* attr = proto.attr(name);
    if (attr == nullptr && input_named(proto, name)) {
      if (proto.inputs.back().variadic) refuse_input_by_keyword(proto, name);
      continue;
    }
    if (attr != nullptr && by_position != nullptr)
      throw Error(ErrorKind::Type, "[" + proto.name + "] got the attribute '" + name +
                                       "' twice, by position and by keyword");
    if (attr == nullptr) answer_foreign_attribute(proto, name);
    // Any other name that does not exist is check's to report, with the nearest one.
    given.set(name, attr == nullptr ? AttrValue() : attribute_value(proto, *attr, values[k]));
  }
  return OpRegistry::create(proto.name, given);
}

PyObject* op_function_call(PyObject* self, PyObject* const* args, std::size_t nargsf,
                           PyObject* keyword_names) {
  return guard([&] {
    const OpFunctionObject* function = self_of(self);
    PyObject* const* inputs = args;
    Py_ssize_t n = PyVectorcall_NARGS(nargsf);
    PyRef spread;
    const bool variadic = function->n_at_most == PY_SSIZE_T_MAX;
    if (variadic && n == 1 && (PyList_Check(args[0]) || PyTuple_Check(args[0]))) {
      // NumPy's concatenate([a, b]).
      spread = PyRef::take(PySequence_Tuple(args[0]));
      inputs = PySequence_Fast_ITEMS(spread.get());
      n = PyTuple_GET_SIZE(spread.get());
    }
    const Py_ssize_t n_names = keyword_names == nullptr ? 0 : PyTuple_GET_SIZE(keyword_names);
    std::vector<PyObject*> named;
    if (n_names > 0 && !variadic)
      named = with_named_inputs(self, {inputs, static_cast<std::size_t>(n)}, keyword_names,
                                args + PyVectorcall_NARGS(nargsf));
    if (!named.empty()) {
      inputs = named.data();
      n = static_cast<Py_ssize_t>(named.size());
    }
    PyObject* attribute = nullptr;
    if (!variadic && n == function->n_at_most + 1 && attribute_by_position(proto_of(self)))
      attribute = inputs[--n];
    Py_ssize_t given = n;
    while (given > function->n_required && !variadic && inputs[given - 1] == Py_None) --given;
    if (given < function->n_required || given > function->n_at_most)
      wrong_number_of_inputs(self, n, keyword_names);
    const std::span objects(inputs, static_cast<std::size_t>(given));
    if (attribute == nullptr && n_names == 0) return apply(self, plain_op(self), objects);
    const Ref<const Op> op =
        op_with(self, keyword_names, args + PyVectorcall_NARGS(nargsf), attribute);
    return apply(self, *op, objects);
  });
}

PyObject* op_function_repr(PyObject* self) {
  return PyUnicode_FromFormat("<Op %s%s>", proto_of(self).name.c_str(),
                              op_signature_text(proto_of(self)).c_str());
}

PyGetSetDef op_function_attributes[] = {
    readable<[](PyObject* self) { return to_text(proto_of(self).name); }>("__name__"),
    readable<[](PyObject* self) { return to_text(proto_of(self).name); }>("__qualname__"),
    readable<[](PyObject*) { return to_text("thunkvm.ops"); }>("__module__"),
    readable<[](PyObject* self) { return described(proto_of(self), "docstring"); }>("__doc__"),
    readable<[](PyObject* self) { return to_text(op_signature_text(proto_of(self))); }>(
        "__text_signature__"),
    readable<[](PyObject* self) {
      PyObject*& signature = self_of(self)->signature;
      if (signature == nullptr) signature = described(proto_of(self), "signature").release();
      return PyRef::borrow(signature);
    }>("_signature"),
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

PyMemberDef op_function_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(OpFunctionObject, vectorcall), READONLY, nullptr},
    {"__weaklistoffset__", T_PYSSIZET, offsetof(OpFunctionObject, weak_references), READONLY,
     nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

// By name, as functions are.
PyObject* op_function_reduce(PyObject* self, PyObject*) {
  return guard([&] {
    PyRef core = PyRef::take(PyImport_ImportModule("thunkvm._core"));
    return PyRef::take(
        Py_BuildValue("N(s)", attribute(core.get(), "op").release(), proto_of(self).name.c_str()));
  });
}

PyMethodDef op_function_methods[] = {
    {"__reduce__", op_function_reduce, METH_NOARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

PyObject* new_function(const OpProto& proto) {
  PyObject* object = op_function_class->tp_alloc(op_function_class, 0);
  if (object == nullptr) throw PythonError{};
  OpFunctionObject* function = self_of(object);
  function->vectorcall = op_function_call;
  function->proto = &proto;
  for (const VarProto& input : proto.inputs) {
    const bool required = !input.variadic && !input.is_optional;
    function->n_required += required ? 1 : 0;
    if (input.variadic) {
      function->n_at_most = PY_SSIZE_T_MAX;
    } else {
      ++function->n_at_most;
    }
  }
  return object;
}

}  // namespace

PyObject* op_function(std::string_view name) {
  const OpProto& proto = OpRegistry::proto(name);
  PyObject*& function = functions()[proto.name];
  if (function == nullptr) function = new_function(proto);
  return Py_NewRef(function);
}

void init_op_function(PyObject* module) {
  static PyType_Slot slots[] = {
      {Py_tp_call, reinterpret_cast<void*>(PyVectorcall_Call)},
      {Py_tp_repr, reinterpret_cast<void*>(op_function_repr)},
      {Py_tp_getset, op_function_attributes},
      {Py_tp_members, op_function_members},
      {Py_tp_methods, op_function_methods},
      {0, nullptr},
  };
  // No destructor: the functions live as long as the process.
  static PyType_Spec spec = {
      "thunkvm._core.OpFunction", sizeof(OpFunctionObject), 0,
      Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  op_function_class = add_class(module, spec);
}

}  // namespace thunkvm
