#include "python/bindings/graph/graph.h"

#include "ops/control/loop.h"
#include "ops/gradient/gradient.h"
#include "ops/graph/drawing.h"
#include "ops/graph/graph.h"
#include "python/bindings/graph/casters.h"
#include "python/bindings/graph/infer_shape.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace thunkvm {
namespace {

using namespace py::literals;

// Variables, a null one where there is None.
std::vector<Variable> optional_variables(PyObject* items, const char* what) {
  std::vector<Variable> variables;
  for (PyObject* item : Items(items, "a list of Variables and None is expected"))
    variables.push_back(item == Py_None ? Variable() : require_variable(item, what));
  return variables;
}

std::vector<Variable> gradients_of(const py::object& cost, const py::object& wrt) {
  const std::vector<Variable> variables = require_variables(wrt.ptr(), "gradients: wrt");
  return gradients(require_variable(cost.ptr(), "gradients: cost"), variables);
}

std::vector<Variable> pull_back_of(const std::vector<Variable>& outputs,
                                   const py::object& output_gradients,
                                   const std::vector<Variable>& wrt) {
  const std::vector<Variable> incoming =
      optional_variables(output_gradients.ptr(), "pull_back: an output gradient");
  if (outputs.size() != incoming.size())
    throw Error(ErrorKind::Value, "pull_back: " + std::to_string(outputs.size()) +
                                      " outputs, but " + std::to_string(incoming.size()) +
                                      " output gradients; there has to be one (or None) for each");
  return pull_back(outputs, incoming, wrt);
}

Variable jacobian_of(const py::object& expression, const py::object& wrt) {
  return jacobian(require_variable(expression.ptr(), "jacobian: expression"),
                  require_variable(wrt.ptr(), "jacobian: wrt"));
}

std::pair<std::vector<Variable>, std::vector<bool>> vectorize_of(const std::vector<Variable>& roots,
                                                                 const std::vector<Variable>& old,
                                                                 const std::vector<Variable>& by,
                                                                 const Variable& length) {
  if (old.size() != by.size())
    throw Error(ErrorKind::Value, "vectorize: " + std::to_string(old.size()) + " variables, but " +
                                      std::to_string(by.size()) +
                                      " replacements; there has to be one for each");
  const Batched batched = vectorize(roots, old, by, length);
  return {batched.roots, batched.batched};
}

std::vector<Variable> substitute_of(const py::object& roots, const py::object& replacements) {
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
  return substitute(require_variables(roots.ptr(), "substitute: roots"), pairs);
}

std::vector<Apply*> topological_order_of(const py::object& roots) {
  std::vector<Apply*> nodes;
  const std::vector<Variable> variables =
      require_variables(roots.ptr(), "topological_order: roots");
  for (Apply* node : topological_order(variables))
    if (node->leaf() == Leaf::None) nodes.push_back(node);
  return nodes;
}

std::optional<std::uint32_t> loop_states(const Apply& node) {
  const OpenLoopOp* const loop = open_loop(node);
  return loop == nullptr ? std::nullopt : std::optional<std::uint32_t>(loop->n_states());
}

Variable input_at(const Apply& node, std::uint32_t number) {
  if (number >= node.n_inputs())
    throw Error(ErrorKind::Index, "there is no input " + std::to_string(number) +
                                      "; the node has " + std::to_string(node.n_inputs()));
  return node.input(static_cast<int>(number));
}

Drawing::Attributes attributes_of(const py::dict& given) {
  Drawing::Attributes attributes;
  for (const auto& [name, value] : given)
    attributes.emplace_back(text_of(name.ptr()), text_of(value.ptr()));
  return attributes;
}

using Frame = std::optional<std::uint32_t>;

// Adds a frame or a box, within a frame if one is given, and returns its index.
template <class Part>
std::size_t add(std::vector<Part>& parts, Frame within, const py::dict& attributes) {
  parts.push_back({within.value_or(Drawing::kNoFrame), attributes_of(attributes)});
  return parts.size() - 1;
}

void add_drawing(PyObject* module) {
  py::class_<Drawing>(module, "Drawing", "Boxes, frames around them, and arrows, for Graphviz.")
      .def(py::init([](const py::dict& every_box) {
             return Drawing{.every_box = attributes_of(every_box)};
           }),
           "every_box"_a = py::dict())
      .def(
          "frame",
          [](Drawing& drawing, Frame around, const py::kwargs& attributes) {
            return add(drawing.frames, around, attributes);
          },
          "around"_a = py::none(), "Draws a frame, within another one if given.")
      .def(
          "box",
          [](Drawing& drawing, Frame frame, const py::kwargs& attributes) {
            return add(drawing.boxes, frame, attributes);
          },
          "frame"_a = py::none(), "Draws a box, in a frame if given.")
      .def(
          "arrow",
          [](Drawing& drawing, std::uint32_t start, std::uint32_t end,
             const py::kwargs& attributes) {
            drawing.arrows.push_back({start, end, attributes_of(attributes)});
          },
          "start"_a, "end"_a, "Draws an arrow from one box to another.")
      .def(
          "to_dot",
          [](const Drawing& drawing) {
            std::string text = to_dot(drawing);
            text.pop_back();  // the end of its last line
            return text;
          },
          "The drawing in DOT.");
}

}  // namespace

void init_graph(PyObject* module) {
  Functions(module)
      .def("gradients", &gradients_of, "cost"_a, "wrt"_a,
           "The gradients of a scalar; None where it does not depend on a variable.")
      .def("jacobian", &jacobian_of, "expression"_a, "wrt"_a,
           "The derivative of shape expression.shape + wrt.shape.")
      .def("substitute", &substitute_of, "roots"_a, "replacements"_a,
           "The roots with variables replaced, wherever they are used.")
      .def("topological_order", &topological_order_of, "roots"_a,
           "The nodes that the roots depend on, every one after its inputs.")
      .def(
          "leaves",
          [](const py::object& roots) {
            return leaves(require_variables(roots.ptr(), "leaves: roots"));
          },
          "roots"_a, "The inputs, shared variables and constants that the roots depend on.")
      .def(
          "infer_shape",
          [](const py::object& node, const py::object& input_shapes) {
            return infer_shape(node.ptr(), input_shapes.ptr());
          },
          "node"_a, "input_shapes"_a = py::none(),
          "The shapes of a node's outputs, as its Op infers them: a tuple of 0-d integers for each "
          "output, None for one that has to be computed to know. `input_shapes` are such tuples of "
          "the inputs; if left out, their lengths.")
      .def("vectorize", &vectorize_of, "roots"_a, "old"_a, "new"_a, "length"_a,
           "(roots, batched): the roots with variables replaced by batches of this length, and which "
           "of them are batches.")
      .def(
          "type_text", [](const Variable& variable) { return variable.type().text(); },
          "variable"_a, "What messages call a Variable's type: \"vector float64 (3,)\".")
      .def("loop_states", &loop_states, "node"_a,
           "Of a loop in a function: the number of its states, its first inputs, behind which is "
           "what it tests; None for all other nodes.")
      .def(
          "count_inputs", [](const Apply& node) { return node.n_inputs(); }, "node"_a,
          "How many inputs it has.")
      .def(
          "count_outputs", [](const Apply& node) { return node.n_outputs(); }, "node"_a,
          "How many outputs it has.")
      .def("input_at", &input_at, "node"_a, "number"_a,
           "One input of a node, where a list of them all is too much.");
  add_drawing(module);
  testing_functions(module)
      .def(
          "pull_back", &pull_back_of, "outputs"_a, "output_gradients"_a, "wrt"_a,
          "Vector-Jacobian products: the gradients of outputs that come with gradients (or None).");
}

}  // namespace thunkvm
