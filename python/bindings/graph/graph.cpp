#include "python/bindings/graph/graph.h"

#include "ops/control/conditional.h"
#include "ops/gradient/gradient.h"
#include "ops/graph/graph.h"
#include "ops/graph/registry.h"
#include "python/bindings/graph/apply.h"
#include "python/bindings/graph/op_documentation.h"
#include "python/bindings/graph/op_function.h"
#include "python/bindings/graph/type.h"
#include "python/bindings/graph/variable.h"
#include "python/bindings/values/value.h"

#include <pybind11/pybind11.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace py = pybind11;

namespace thunkvm {
namespace {

py::object object(PyRef reference) {
  return py::reinterpret_steal<py::object>(reference.release());
}
py::object object(const Variable& variable) {
  return py::reinterpret_steal<py::object>(wrap(variable));
}

// Variables, None where one is null.
py::list optional_variables(const std::vector<Variable>& variables) {
  py::list list;
  for (const Variable& variable : variables)
    list.append(variable ? object(variable) : py::object(py::none()));
  return list;
}

std::vector<Variable> optional_variables(py::handle items, const char* what) {
  std::vector<Variable> variables;
  for (PyObject* item : Items(items.ptr(), "a list of Variables and None is expected"))
    variables.push_back(item == Py_None ? Variable() : require_variable(item, what));
  return variables;
}

py::object input_variable(py::handle type, py::handle name) {
  py::object variable = object(Variable::input(unwrap_type(type.ptr())));
  variable.attr("name") = name;
  return variable;
}

py::object constant(py::handle value, py::handle dtype, py::handle type) {
  if (type.is_none()) return object(constant_of(value.ptr(), dtype.ptr()));
  if (!dtype.is_none())
    throw Error(ErrorKind::Type, "constant() takes a dtype or a type, not both");
  const TypeRef wanted = unwrap_type(type.ptr());
  const Cell cell = from_python(value.ptr(), *wanted, CastRule::SafeAlone, "the constant's value");
  // A copy: the caller may change the array that they gave.
  return object(
      Variable::constant(wanted->tensor() == nullptr ? cell : copy_value(cell, *wanted), wanted));
}

Decoding decoding_of(const std::string& name) {
  if (name == "truth") return Decoding::Truth;
  if (name == "index") return Decoding::Index;
  if (name == "index_or_default") return Decoding::IndexOrDefault;
  throw Error(ErrorKind::Value, "conditional: decoding '" + name +
                                    "' does not exist; use 'truth', 'index' or 'index_or_default'");
}

py::object conditional_of(py::handle selector, const std::string& decoding, py::handle arms,
                          bool strict) {
  std::vector<std::vector<Variable>> variables;
  for (PyObject* arm : Items(arms.ptr(), "conditional: arms have to be a list of lists")) {
    std::vector<Variable>& values = variables.emplace_back();
    for (PyObject* value : Items(arm, "conditional: an arm has to be a list of values"))
      values.push_back(as_variable(value));
  }
  return object(wrap_list(
      conditional(as_variable(selector.ptr()), decoding_of(decoding), variables, strict)));
}

py::list gradients_of(py::handle cost, py::handle wrt) {
  const std::vector<Variable> variables = require_variables(wrt.ptr(), "gradients: wrt");
  return optional_variables(gradients(require_variable(cost.ptr(), "gradients: cost"), variables));
}

py::list pull_back_of(py::handle outputs, py::handle output_gradients, py::handle wrt) {
  const std::vector<Variable> roots = require_variables(outputs.ptr(), "pull_back: outputs");
  const std::vector<Variable> incoming =
      optional_variables(output_gradients, "pull_back: an output gradient");
  if (roots.size() != incoming.size())
    throw Error(ErrorKind::Value, "pull_back: " + std::to_string(roots.size()) + " outputs, but " +
                                      std::to_string(incoming.size()) +
                                      " output gradients; there has to be one (or None) for each");
  return optional_variables(
      pull_back(roots, incoming, require_variables(wrt.ptr(), "pull_back: wrt")));
}

py::tuple vectorize_of(py::handle roots, py::handle from, py::handle to) {
  const std::vector<Variable> replaced = require_variables(from.ptr(), "vectorize: from");
  const std::vector<Variable> by = require_variables(to.ptr(), "vectorize: to");
  if (replaced.size() != by.size())
    throw Error(ErrorKind::Value, "vectorize: " + std::to_string(replaced.size()) +
                                      " variables, but " + std::to_string(by.size()) +
                                      " replacements; there has to be one for each");
  const Batched batched =
      vectorize(require_variables(roots.ptr(), "vectorize: roots"), replaced, by);
  py::list flags;
  for (const bool flag : batched.batched) flags.append(py::bool_(flag));
  return py::make_tuple(object(wrap_list(batched.roots)), flags);
}

py::object substitute_of(py::handle roots, py::handle replacements) {
  std::vector<std::pair<Variable, Variable>> pairs;
  for (PyObject* replacement :
       Items(replacements.ptr(), "substitute: replacements have to be a list of pairs")) {
    const Items pair(replacement, "substitute: a replacement is a pair (old, new)");
    if (pair.size() != 2)
      throw Error(ErrorKind::Type,
                  "substitute: a replacement is a pair (old, new), not " + str_of(replacement));
    pairs.emplace_back(require_variable(pair[0], "substitute: what is replaced"),
                       require_variable(pair[1], "substitute: a replacement"));
  }
  return object(wrap_list(substitute(require_variables(roots.ptr(), "substitute: roots"), pairs)));
}

py::list topological_order_of(py::handle roots) {
  const std::vector<Variable> variables =
      require_variables(roots.ptr(), "topological_order: roots");
  py::list nodes;
  for (Apply* node : topological_order(variables))
    if (node->leaf() == Leaf::None) nodes.append(object(PyRef::take(wrap_node(node))));
  return nodes;
}

Apply& node_of(py::handle object) {
  if (!is_node(object.ptr()))
    throw Error(ErrorKind::Type, "a node has to be an Apply, not a " + class_name(object.ptr()));
  return *unwrap_node(object.ptr());
}

py::object input_at(py::handle object, std::uint32_t number) {
  const Apply& node = node_of(object);
  if (number >= node.n_inputs())
    throw Error(ErrorKind::Index, "there is no input " + std::to_string(number) +
                                      "; the node has " + std::to_string(node.n_inputs()));
  return thunkvm::object(node.input(static_cast<int>(number)));
}

py::list op_names() {
  py::list names;
  for (const OpProto* proto : OpRegistry::protos()) names.append(py::str(proto->name));
  return names;
}

py::list op_protos() {
  py::list protos;
  for (const OpProto* proto : OpRegistry::protos()) protos.append(object(op_proto_dict(*proto)));
  return protos;
}

// (the name in the package, the Op's, whether Variables have it as a method), by name.
py::list exposed_ops() {
  std::map<std::string, py::tuple> exposed;
  for (const OpProto* proto : OpRegistry::protos()) {
    if (proto->exposure == Exposure::Ops) continue;
    const bool method = proto->exposure == Exposure::Method;
    exposed.emplace(proto->name, py::make_tuple(proto->name, proto->name, method));
    for (const std::string& alias : proto->aliases)
      exposed.emplace(alias, py::make_tuple(alias, proto->name, method));
  }
  py::list list;
  for (const auto& [name, entry] : exposed) list.append(entry);
  return list;
}

}  // namespace

void init_graph(PyObject* module) {
  auto m = py::reinterpret_borrow<py::module_>(module);

  m.def("input_variable", input_variable, "A free variable of a type.", py::arg("type"),
        py::arg("name") = py::none());
  m.def("constant", constant,
        "A constant: of NumPy's dtype for the value, of the given dtype, or of the given Type.",
        py::arg("value"), py::arg("dtype") = py::none(), py::arg("type") = py::none());
  m.def(
      "as_variable", [](py::handle value) { return object(as_variable(value.ptr())); },
      "A Variable as it is; numbers, arrays and lists (also of Variables) as one.",
      py::arg("value"));

  m.def(
      "op",
      [](const std::string& name) { return py::reinterpret_steal<py::object>(op_function(name)); },
      "The function of a built-in Op.", py::arg("name"));
  m.def("op_names", op_names, "The names of all built-in Ops, sorted.");
  m.def("op_protos", op_protos, "The prototypes of all built-in Ops, as dicts.");
  m.def("exposed_ops", exposed_ops,
        "What the package has of the Ops as they are: (name, the Op's name, whether a method).");

  m.def("conditional", conditional_of,
        "One Variable for each output of the arms, computed by the arm that the selector picks.",
        py::arg("selector"), py::arg("decoding"), py::arg("arms"), py::arg("strict") = false);
  m.def(
      "lazy_and",
      [](py::handle a, py::handle b) {
        return object(lazy_and(as_variable(a.ptr()), as_variable(b.ptr())));
      },
      "`a and b`: b is computed only if a is true.", py::arg("a"), py::arg("b"));
  m.def(
      "lazy_or",
      [](py::handle a, py::handle b) {
        return object(lazy_or(as_variable(a.ptr()), as_variable(b.ptr())));
      },
      "`a or b`: b is computed only if a is false.", py::arg("a"), py::arg("b"));

  m.def("gradients", gradients_of,
        "The gradients of a scalar; None where it does not depend on a variable.", py::arg("cost"),
        py::arg("wrt"));
  m.def("pull_back", pull_back_of,
        "Vector-Jacobian products: the gradients of outputs that come with gradients (or None).",
        py::arg("outputs"), py::arg("output_gradients"), py::arg("wrt"));
  m.def(
      "jacobian",
      [](py::handle expression, py::handle wrt) {
        return object(jacobian(require_variable(expression.ptr(), "jacobian: expression"),
                               require_variable(wrt.ptr(), "jacobian: wrt")));
      },
      "The derivative of shape expression.shape + wrt.shape.", py::arg("expression"),
      py::arg("wrt"));
  m.def("vectorize", vectorize_of,
        "(roots, batched): the roots with variables replaced by batches of them.", py::arg("roots"),
        py::arg("from_"), py::arg("to"));

  m.def("substitute", substitute_of, "The roots with variables replaced, wherever they are used.",
        py::arg("roots"), py::arg("replacements"));
  m.def("topological_order", topological_order_of,
        "The nodes that the roots depend on, every one after its inputs.", py::arg("roots"));
  m.def(
      "count_inputs", [](py::handle node) { return node_of(node).n_inputs(); },
      "How many inputs a node has.", py::arg("node"));
  m.def(
      "count_outputs", [](py::handle node) { return node_of(node).n_outputs(); },
      "How many outputs a node has.", py::arg("node"));
  m.def(
      "type_text",
      [](py::handle variable) {
        return require_variable(variable.ptr(), "type_text: variable").type().text();
      },
      "What messages call a Variable's type: \"vector float64 (3,)\".", py::arg("variable"));
  m.def("input_at", input_at, "One input of a node, where a list of them all is too much.",
        py::arg("node"), py::arg("number"));
  m.def(
      "leaves",
      [](py::handle roots) {
        return object(wrap_list(leaves(require_variables(roots.ptr(), "leaves: roots"))));
      },
      "The inputs, shared variables and constants that the roots depend on.", py::arg("roots"));
}

}  // namespace thunkvm
