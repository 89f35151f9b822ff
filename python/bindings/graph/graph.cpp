#include "python/bindings/graph/graph.h"

#include "ops/control/loop.h"
#include "ops/gradient/gradient.h"
#include "ops/graph/graph.h"
#include "python/bindings/graph/apply.h"
#include "python/bindings/graph/variable.h"
#include "python/bindings/python/testing.h"

#include <string>
#include <utility>
#include <vector>

namespace thunkvm {
namespace {

// Variables, None where one is null.
PyRef optional_variables(const std::vector<Variable>& variables) {
  PyRef list = PyRef::take(PyList_New(0));
  for (const Variable& variable : variables) {
    PyRef item = variable ? PyRef::take(wrap(variable)) : PyRef::borrow(Py_None);
    check(PyList_Append(list.get(), item.get()));
  }
  return list;
}

std::vector<Variable> optional_variables(PyObject* items, const char* what) {
  std::vector<Variable> variables;
  for (PyObject* item : Items(items, "a list of Variables and None is expected"))
    variables.push_back(item == Py_None ? Variable() : require_variable(item, what));
  return variables;
}

PyObject* gradients_of(PyObject*, PyObject* args) {
  PyObject *cost, *wrt;
  if (!PyArg_ParseTuple(args, "OO:gradients", &cost, &wrt)) return nullptr;
  return guard([&] {
    const std::vector<Variable> variables = require_variables(wrt, "gradients: wrt");
    return optional_variables(gradients(require_variable(cost, "gradients: cost"), variables));
  });
}

PyObject* pull_back_of(PyObject*, PyObject* args) {
  PyObject *outputs, *output_gradients, *wrt;
  if (!PyArg_ParseTuple(args, "OOO:pull_back", &outputs, &output_gradients, &wrt)) return nullptr;
  return guard([&] {
    const std::vector<Variable> roots = require_variables(outputs, "pull_back: outputs");
    const std::vector<Variable> incoming =
        optional_variables(output_gradients, "pull_back: an output gradient");
    if (roots.size() != incoming.size())
      throw Error(ErrorKind::Value,
                  "pull_back: " + std::to_string(roots.size()) + " outputs, but " +
                      std::to_string(incoming.size()) +
                      " output gradients; there has to be one (or None) for each");
    return optional_variables(pull_back(roots, incoming, require_variables(wrt, "pull_back: wrt")));
  });
}

PyObject* jacobian_of(PyObject*, PyObject* args) {
  PyObject *expression, *wrt;
  if (!PyArg_ParseTuple(args, "OO:jacobian", &expression, &wrt)) return nullptr;
  return guard([&] {
    return PyRef::take(wrap(jacobian(require_variable(expression, "jacobian: expression"),
                                     require_variable(wrt, "jacobian: wrt"))));
  });
}

PyObject* vectorize_of(PyObject*, PyObject* args) {
  PyObject *roots, *from, *to;
  if (!PyArg_ParseTuple(args, "OOO:vectorize", &roots, &from, &to)) return nullptr;
  return guard([&] {
    const std::vector<Variable> replaced = require_variables(from, "vectorize: from");
    const std::vector<Variable> by = require_variables(to, "vectorize: to");
    if (replaced.size() != by.size())
      throw Error(ErrorKind::Value, "vectorize: " + std::to_string(replaced.size()) +
                                        " variables, but " + std::to_string(by.size()) +
                                        " replacements; there has to be one for each");
    const Batched batched = vectorize(require_variables(roots, "vectorize: roots"), replaced, by);
    PyRef flags = PyRef::take(PyList_New(0));
    for (const bool flag : batched.batched)
      check(PyList_Append(flags.get(), flag ? Py_True : Py_False));
    return PyRef::take(PyTuple_Pack(2, wrap_list(batched.roots).get(), flags.get()));
  });
}

PyObject* substitute_of(PyObject*, PyObject* args) {
  PyObject *roots, *replacements;
  if (!PyArg_ParseTuple(args, "OO:substitute", &roots, &replacements)) return nullptr;
  return guard([&] {
    std::vector<std::pair<Variable, Variable>> pairs;
    for (PyObject* replacement :
         Items(replacements, "substitute: replacements have to be a list of pairs")) {
      const Items pair(replacement, "substitute: a replacement is a pair (old, new)");
      if (pair.size() != 2)
        throw Error(ErrorKind::Type,
                    "substitute: a replacement is a pair (old, new), not " + str_of(replacement));
      pairs.emplace_back(require_variable(pair[0], "substitute: what is replaced"),
                         require_variable(pair[1], "substitute: a replacement"));
    }
    return wrap_list(substitute(require_variables(roots, "substitute: roots"), pairs));
  });
}

PyObject* topological_order_of(PyObject*, PyObject* roots) {
  return guard([&] {
    const std::vector<Variable> variables = require_variables(roots, "topological_order: roots");
    PyRef nodes = PyRef::take(PyList_New(0));
    for (Apply* node : topological_order(variables))
      if (node->leaf() == Leaf::None)
        check(PyList_Append(nodes.get(), PyRef::take(wrap_node(node)).get()));
    return nodes;
  });
}

PyObject* leaves_of(PyObject*, PyObject* roots) {
  return guard([&] { return wrap_list(leaves(require_variables(roots, "leaves: roots"))); });
}

Apply& node_of(PyObject* object) {
  if (!is_node(object))
    throw Error(ErrorKind::Type, "a node has to be an Apply, not a " + class_name(object));
  return *unwrap_node(object);
}

PyObject* loop_states(PyObject*, PyObject* node) {
  return guard([&] {
    const OpenLoopOp* const loop = open_loop(*unwrap_node(node));
    return loop == nullptr ? PyRef::borrow(Py_None)
                           : PyRef::take(PyLong_FromUnsignedLong(loop->n_states()));
  });
}

PyObject* count_inputs(PyObject*, PyObject* node) {
  return guard([&] { return PyRef::take(PyLong_FromUnsignedLong(node_of(node).n_inputs())); });
}

PyObject* count_outputs(PyObject*, PyObject* node) {
  return guard([&] { return PyRef::take(PyLong_FromUnsignedLong(node_of(node).n_outputs())); });
}

PyObject* input_at(PyObject*, PyObject* args) {
  PyObject* object;
  unsigned number;
  if (!PyArg_ParseTuple(args, "OI:input_at", &object, &number)) return nullptr;
  return guard([&] {
    const Apply& node = node_of(object);
    if (number >= node.n_inputs())
      throw Error(ErrorKind::Index, "there is no input " + std::to_string(number) +
                                        "; the node has " + std::to_string(node.n_inputs()));
    return PyRef::take(wrap(node.input(static_cast<int>(number))));
  });
}

PyMethodDef functions[] = {
    {"gradients", gradients_of, METH_VARARGS,
     "gradients(cost, wrt)\n--\n\n"
     "The gradients of a scalar; None where it does not depend on a variable."},
    {"jacobian", jacobian_of, METH_VARARGS,
     "jacobian(expression, wrt)\n--\n\nThe derivative of shape expression.shape + wrt.shape."},
    {"substitute", substitute_of, METH_VARARGS,
     "substitute(roots, replacements)\n--\n\n"
     "The roots with variables replaced, wherever they are used."},
    {"topological_order", topological_order_of, METH_O,
     "topological_order(roots)\n--\n\n"
     "The nodes that the roots depend on, every one after its inputs."},
    {"leaves", leaves_of, METH_O,
     "leaves(roots)\n--\n\nThe inputs, shared variables and constants that the roots depend on."},
    {"loop_states", loop_states, METH_O,
     "loop_states(node)\n--\n\n"
     "Of a loop in a function: the number of its states, its first inputs, behind which is what it "
     "tests; None for all other nodes."},
    {"count_inputs", count_inputs, METH_O, "count_inputs(node)\n--\n\nHow many inputs it has."},
    {"count_outputs", count_outputs, METH_O, "count_outputs(node)\n--\n\nHow many outputs it has."},
    {"input_at", input_at, METH_VARARGS,
     "input_at(node, number)\n--\n\nOne input of a node, where a list of them all is too much."},
    {nullptr, nullptr, 0, nullptr},
};

PyMethodDef testing_functions[] = {
    {"vectorize", vectorize_of, METH_VARARGS,
     "vectorize(roots, old, new)\n--\n\n"
     "(roots, batched): the roots with variables replaced by batches of them."},
    {"pull_back", pull_back_of, METH_VARARGS,
     "pull_back(outputs, output_gradients, wrt)\n--\n\n"
     "Vector-Jacobian products: the gradients of outputs that come with gradients (or None)."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

void init_graph(PyObject* module) {
  check(PyModule_AddFunctions(module, functions));
  add_testing_functions(module, testing_functions);
}

}  // namespace thunkvm
