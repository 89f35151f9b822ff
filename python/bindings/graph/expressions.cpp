#include "python/bindings/graph/expressions.h"

#include "ops/control/conditional.h"
#include "ops/control/loop.h"
#include "ops/graph/registry.h"
#include "python/bindings/graph/op_documentation.h"
#include "python/bindings/graph/op_function.h"
#include "python/bindings/graph/type.h"
#include "python/bindings/graph/value.h"
#include "python/bindings/graph/variable.h"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace thunkvm {
namespace {

PyRef object(const Variable& variable) { return PyRef::take(wrap(variable)); }

PyObject* input_variable(PyObject*, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"type", "name", nullptr};
  PyObject *type, *name = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|O:input_variable", const_cast<char**>(names),
                                   &type, &name))
    return nullptr;
  return guard([&] {
    PyRef variable = object(Variable::input(unwrap_type(type)));
    check(PyObject_SetAttrString(variable.get(), "name", name));
    return variable;
  });
}

PyObject* constant(PyObject*, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"value", "dtype", "type", nullptr};
  PyObject *value, *dtype = Py_None, *type = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "O|OO:constant", const_cast<char**>(names), &value,
                                   &dtype, &type))
    return nullptr;
  return guard([&] {
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

PyObject* type_text(PyObject*, PyObject* variable) {
  return guard(
      [&] { return to_text(require_variable(variable, "type_text: variable").type().text()); });
}

PyObject* op(PyObject*, PyObject* name) {
  return guard([&] { return PyRef::take(op_function(std::string(text_of(name)))); });
}

PyObject* op_names(PyObject*, PyObject*) {
  return guard([&] {
    PyRef names = PyRef::take(PyList_New(0));
    for (const OpProto* proto : OpRegistry::protos())
      check(PyList_Append(names.get(), to_text(proto->name).get()));
    return names;
  });
}

PyObject* op_protos(PyObject*, PyObject*) {
  return guard([&] {
    PyRef protos = PyRef::take(PyList_New(0));
    for (const OpProto* proto : OpRegistry::protos())
      check(PyList_Append(protos.get(), op_proto_dict(*proto).get()));
    return protos;
  });
}

PyObject* exposed_ops(PyObject*, PyObject*) {
  return guard([&] {
    std::map<std::string, PyRef> exposed;
    for (const OpProto* proto : OpRegistry::protos()) {
      if (proto->exposure == Exposure::Ops) continue;
      PyObject* const method = proto->exposure == Exposure::Method ? Py_True : Py_False;
      const auto add = [&](const std::string& name) {
        exposed.emplace(
            name, PyRef::take(Py_BuildValue("(ssO)", name.c_str(), proto->name.c_str(), method)));
      };
      add(proto->name);
      for (const std::string& alias : proto->aliases) add(alias);
    }
    PyRef list = PyRef::take(PyList_New(0));
    for (const auto& [name, entry] : exposed) check(PyList_Append(list.get(), entry.get()));
    return list;
  });
}

Decoding decoding_of(const std::string& name) {
  if (const auto found = decoding_named(name)) return *found;
  throw Error(ErrorKind::Value, "conditional: decoding '" + name +
                                    "' does not exist; use 'truth', 'index' or 'index_or_default'");
}

PyObject* conditional_of(PyObject*, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"selector", "decoding", "arms", "strict", nullptr};
  PyObject *selector, *arms;
  const char* decoding;
  int strict = 0;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "OsO|p:conditional", const_cast<char**>(names),
                                   &selector, &decoding, &arms, &strict))
    return nullptr;
  return guard([&] {
    std::vector<std::vector<Variable>> variables;
    for (PyObject* arm : Items(arms, "conditional: arms have to be a list of lists")) {
      std::vector<Variable>& values = variables.emplace_back();
      for (PyObject* value : Items(arm, "conditional: an arm has to be a list of values"))
        values.push_back(as_variable(value));
    }
    return wrap_list(
        conditional(as_variable(selector), decoding_of(decoding), variables, strict != 0));
  });
}

PyObject* loop_of(PyObject*, PyObject* args) {
  PyObject *name, *states, *firsts, *limit, *test, *nexts, *collected;
  unsigned keeps = 0;
  int implicit = 0;
  if (!PyArg_ParseTuple(args, "OOOOOOO|Ip:loop", &name, &states, &firsts, &limit, &test, &nexts,
                        &collected, &keeps, &implicit))
    return nullptr;
  return guard([&] {
    auto* const body = new LoopBody;
    const Ref<const LoopBody> held(body);
    body->name = text_of(name, "the name of a loop");
    body->states = require_variables(states, "a state of a loop");
    if (limit != Py_None) body->limit = require_variable(limit, "the limit of a loop");
    body->test = require_variable(test, "the test of a loop");
    body->nexts = require_variables(nexts, "the next value of a state");
    body->keeps = keeps;
    body->implicit = implicit != 0;
    body->collected = require_variables(collected, "a value that a loop collects");
    const std::vector<Variable> of_states = require_variables(firsts, "the first value of a state");
    collect_for_gradients(*body);
    std::vector<Variable> outputs = make_loop(*body, of_states);
    const auto hidden = outputs.end() - 2 - body->n_for_gradients;
    outputs.erase(hidden, hidden + body->n_for_gradients);
    return wrap_list(outputs);
  });
}

PyObject* loop_about(PyObject*, PyObject* variable) {
  return guard([&] {
    const Variable& v = require_variable(variable, "the last value of a loop's state");
    const LoopOp* const op = v.is_leaf() ? nullptr : closed_loop(*v.node());
    if (op == nullptr || v.index() >= op->outputs().n_states) return PyRef::borrow(Py_None);
    const LoopOutputs place = op->outputs();
    const auto output = [&](std::uint32_t i) { return object(v.node()->output(i)).release(); };
    const bool collects = v.index() < place.n_collected - op->body().n_for_gradients;
    return PyRef::take(
        Py_BuildValue("(NNNIN)", output(place.steps()), output(place.finished()),
                      collects ? output(place.collected(v.index())) : Py_NewRef(Py_None),
                      op->body().keeps, output(place.last(place.n_states - 1))));
  });
}

PyObject* loop_body(PyObject*, PyObject* variable) {
  return guard([&] {
    const Variable& v = require_variable(variable, "an output of a node");
    const LoopOp* const op = v.is_leaf() ? nullptr : closed_loop(*v.node());
    if (op == nullptr) return PyRef::borrow(Py_None);
    const LoopBody& body = op->body();
    const std::span collected =
        std::span(body.collected).first(body.collected.size() - body.n_for_gradients);
    return PyRef::take(Py_BuildValue(
        "(NNNNNN)", wrap_list(body.states).release(), wrap_list(body.captures).release(),
        body.limit ? object(body.limit).release() : Py_NewRef(Py_None), object(body.test).release(),
        wrap_list(body.nexts).release(), wrap_list(collected).release()));
  });
}

using Connective = Variable (*)(const Variable& a, const Variable& b);

template <Connective connective>
PyObject* connect(PyObject*, PyObject* args) {
  PyObject *a, *b;
  if (!PyArg_ParseTuple(args, "OO", &a, &b)) return nullptr;
  return guard([&] { return object(connective(as_variable(a), as_variable(b))); });
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
    {"type_text", type_text, METH_O,
     "type_text(variable)\n--\n\n"
     "What messages call a Variable's type: \"vector float64 (3,)\"."},
    {"op", op, METH_O, "op(name)\n--\n\nThe function of a built-in Op."},
    {"op_names", op_names, METH_NOARGS, "op_names()\n--\n\nThe names of all built-in Ops, sorted."},
    {"op_protos", op_protos, METH_NOARGS,
     "op_protos()\n--\n\nThe prototypes of all built-in Ops, as dicts."},
    {"exposed_ops", exposed_ops, METH_NOARGS,
     "exposed_ops()\n--\n\n"
     "What the package has of the Ops as they are: (name, the Op's name, whether a method)."},
    {"conditional", with_keywords(conditional_of), METH_VARARGS | METH_KEYWORDS,
     "conditional(selector, decoding, arms, strict=False)\n--\n\n"
     "One Variable for each output of the arms, computed by the arm that the selector picks."},
    {"loop", loop_of, METH_VARARGS,
     "loop(name, states, firsts, limit, test, nexts, collected, keeps=0, implicit=False)\n--\n\n"
     "The outputs of a loop: last values and histories of its states, what it collects, its steps, "
     "whether its test ended it. A step runs where the limit (or None) and then the test are "
     "true."},
    {"loop_about", loop_about, METH_O,
     "loop_about(last)\n--\n\n"
     "Of a loop's last value: its steps, whether its test ended it, what it collects, what its "
     "maker said that it keeps, and the last value of its last state."},
    {"loop_body", loop_body, METH_O,
     "loop_body(output)\n--\n\n"
     "Of a loop that stands in a graph: the leaves of its states and of what it takes from "
     "outside, "
     "its limit or None, its test, the next values, and what it collects. None of another node."},
    {"lazy_and", connect<lazy_and>, METH_VARARGS,
     "lazy_and(a, b)\n--\n\n`a and b`: b is computed only if a is true."},
    {"lazy_or", connect<lazy_or>, METH_VARARGS,
     "lazy_or(a, b)\n--\n\n`a or b`: b is computed only if a is false."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

void init_expressions(PyObject* module) { check(PyModule_AddFunctions(module, functions)); }

}  // namespace thunkvm
