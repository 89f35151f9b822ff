// graph.cpp: functions that walk, transform and differentiate graphs.
#include "ops/graph/graph.h"

#include "ops/control/loop.h"
#include "ops/gradient/gradient.h"
#include "ops/gradient/push_forward.h"
#include "ops/graph/array_op.h"
#include "ops/graph/drawing.h"
#include "ops/graph/extents.h"
#include "ops/graph/registry.h"
#include "python/bindings/graph/attribute.h"
#include "python/bindings/graph/casters.h"
#include "python/bindings/graph/origin.h"
#include "python/bindings/python/topics.h"

#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace thunkvm {
namespace {

using namespace py::literals;

using Variables = std::vector<Variable>;

Variables pull_back_of(const Variables& outputs, const std::vector<MaybeVariable>& incoming,
                       const Variables& wrt) {
  if (outputs.size() != incoming.size())
    throw Error(ErrorKind::Value, "pull_back: " + std::to_string(outputs.size()) +
                                      " outputs, but " + std::to_string(incoming.size()) +
                                      " output gradients; there has to be one (or None) for each");
  return pull_back(outputs, Variables(incoming.begin(), incoming.end()), wrt);
}

auto push_forward_of(const Variables& outputs, const Variables& wrt,
                     const std::vector<MaybeVariable>& tangents) {
  if (wrt.size() != tangents.size())
    throw Error(ErrorKind::Value, "push_forward: " + std::to_string(wrt.size()) +
                                      " variables, but " + std::to_string(tangents.size()) +
                                      " tangents; there has to be one (or None) for each");
  return maybe(push_forward(outputs, wrt, Variables(tangents.begin(), tangents.end())));
}

std::pair<Variables, std::vector<bool>> vectorize_of(const Variables& roots, const Variables& old,
                                                     const Variables& by, const Variable& length) {
  if (old.size() != by.size())
    throw Error(ErrorKind::Value, "vectorize: " + std::to_string(old.size()) + " variables, but " +
                                      std::to_string(by.size()) +
                                      " replacements; there has to be one for each");
  const Batched batched = vectorize(roots, old, by, length);
  return {batched.roots, batched.batched};
}

Variables with_origins_of(const Variables& roots,
                          const std::vector<std::tuple<Variable, py::tuple, int>>& given) {
  std::vector<GivenOrigin> origins;
  for (const auto& [variable, place, line] : given)
    origins.push_back({variable, PyRef::borrow(place.ptr()), line});
  return with_origins(roots, origins);
}

std::vector<Apply*> topological_order_of(const Variables& roots) {
  std::vector<Apply*> nodes;
  for (Apply* node : topological_order(roots))
    if (node->leaf() == Leaf::None) nodes.push_back(node);
  return nodes;
}

using Lengths = Typed<"tuple[thunkvm._core.Variable, ...] | None">;

std::vector<Lengths> infer_shape_of(
    Apply& node, const std::optional<std::vector<std::optional<Extents>>>& given) {
  std::vector<Extents> shapes;
  if (given)
    for (const std::optional<Extents>& shape : *given) shapes.push_back(shape.value_or(Extents()));
  else
    for (const Variable& input : node.inputs()) shapes.push_back(extents_of(input));
  if (shapes.size() != node.n_inputs())
    throw Error(ErrorKind::Value, "infer_shape got " + std::to_string(shapes.size()) +
                                      " shapes for " + std::to_string(node.n_inputs()) + " inputs");
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const TensorType* type = node.input(static_cast<int>(i)).type().tensor();
    if (type != nullptr && static_cast<int>(shapes[i].size()) != type->ndim())
      throw Error(ErrorKind::Value, "infer_shape got " + std::to_string(shapes[i].size()) +
                                        " lengths for input " + std::to_string(i) + ", a " +
                                        type->text());
  }
  const std::vector<Extents> inferred = node.op()->infer_shape(node, shapes);
  std::vector<Lengths> lengths;
  for (std::uint32_t j = 0; j < node.n_outputs(); ++j)
    lengths.emplace_back(is_inferred(node.output(j), inferred[j]) ? wrap_tuple(inferred[j])
                                                                  : PyRef());
  return lengths;
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

Variables apply_op_of(const std::string& name, const py::dict& attributes,
                      const Variables& inputs) {
  const OpProto& proto = OpRegistry::proto(name);
  Attributes given;
  for (const auto& [key, value] : attributes) {
    const std::string attribute(text_of(key.ptr(), "an attribute's name"));
    const AttrProto* const attr = proto.attr(attribute);
    given.set(attribute,
              attr == nullptr ? AttrValue() : attribute_value(proto, *attr, value.ptr()));
  }
  return apply_op(name, inputs, given);
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
      .def(
          "gradients",
          [](const Variable& cost, const Variables& wrt) { return maybe(gradients(cost, wrt)); },
          "cost"_a, "wrt"_a,
          "The gradients of a scalar; None where it does not depend on a variable.")
      .def("jacobian", &jacobian, "expression"_a, "wrt"_a,
           "The derivative of shape expression.shape + wrt.shape.")
      .def("forward_jacobian", &forward_jacobian, "expression"_a, "wrt"_a,
           "The same, by a forward pass.")
      .def("push_forward", &push_forward_of, "outputs"_a, "wrt"_a, "tangents"_a,
           "The tangents of outputs where variables change along tangents (None: not at all); None "
           "where an output does not depend on any.")
      .def(
          "substitute",
          [](const Variables& roots,
             const std::vector<std::pair<Variable, Variable>>& replacements) {
            return substitute(roots, replacements);
          },
          "roots"_a, "replacements"_a, "The roots with variables replaced, wherever they are used.")
      .def("with_origins", &with_origins_of, "roots"_a, "given"_a,
           "The roots with the origins that were given for nodes: (Variable, (file, text), line).")
      .def("topological_order", &topological_order_of, "roots"_a,
           "The nodes that the roots depend on, every one after its inputs.")
      .def(
          "leaves", [](const Variables& roots) { return leaves(roots); }, "roots"_a,
          "The inputs, shared variables and constants that the roots depend on.")
      .def(
          "infer_shape", &infer_shape_of, "node"_a, "input_shapes"_a = py::none(),
          "The shapes of a node's outputs, as its Op infers them: a tuple of 0-d integers for each "
          "output, None for one that has to be computed to know. `input_shapes` are such tuples of "
          "the inputs; if left out, their lengths.")
      .def("apply_op", &apply_op_of, "name"_a, "attributes"_a, "inputs"_a,
           "All outputs of a built-in Op with these attributes, applied.")
      .def("vectorize", &vectorize_of, "roots"_a, "old"_a, "new"_a, "length"_a,
           "(roots, batched): the roots with variables replaced by batches of this length, and "
           "which "
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
  testing_functions(module).def(
      "pull_back", &pull_back_of, "outputs"_a, "output_gradients"_a, "wrt"_a,
      "Vector-Jacobian products: the gradients of outputs that come with gradients (or None).");
}

}  // namespace thunkvm
