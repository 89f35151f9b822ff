#include "python/bindings/thunks/python_thunk.h"

#include "python/bindings/arrays/ndarray.h"
#include "python/bindings/graph/apply.h"
#include "python/bindings/graph/python_op.h"
#include "python/bindings/graph/value.h"
#include "python/bindings/python/host.h"

#include <algorithm>
#include <utility>

namespace thunkvm {

PythonNode::PythonNode(const Apply& apply, PyRef handle)
    : node(std::move(handle)),
      op(apply.op()->name()),
      checks_inputs(checks_inputs_of_new_nodes() && python_op(apply.op()) != nullptr) {
  for (const Variable& input : apply.inputs()) inputs.push_back(input.type_ref());
  for (std::uint32_t j = 0; j < apply.n_outputs(); ++j) {
    outputs.emplace_back(&apply.output_type(j));
    output_names.push_back("output " + std::to_string(j) + " of " + op);
  }
  for (const auto& [output, positions] : apply.op()->destroy_map())
    destroyed.insert(destroyed.end(), positions.begin(), positions.end());
  std::sort(destroyed.begin(), destroyed.end());
  destroyed.erase(std::unique(destroyed.begin(), destroyed.end()), destroyed.end());
}

PyRef PythonNode::input(Activation& activation, const Operands& operands, int i) const {
  if (!destroyed.empty() &&
      std::binary_search(destroyed.begin(), destroyed.end(), static_cast<std::uint32_t>(i)))
    return exclusive_input(activation, operands, i);
  return to_python(activation.input(operands, i));
}

PyRef PythonNode::exclusive_input(Activation& activation, const Operands& operands, int i) const {
  Cell& cell = activation.input(operands, i);
  if (cell.is_scalar()) return to_ndarray_0d(cell);
  bool alone = operands.dies(i) && exclusive(cell);
  for (int other = 0; alone && other < operands.n_inputs; ++other)
    alone = other == i || operands.input(other) != operands.input(i);
  if (alone) return to_python(std::exchange(cell, Cell()));
  static_cast<PythonHost&>(*activation.host).note_copy();
  Cell copy = copy_value(cell, *inputs[static_cast<std::size_t>(i)]);
  return copy.is_array() ? to_ndarray(copy.take_array()) : to_python(copy);
}

void PythonNode::give_back(Activation& activation, const Operands& operands, std::uint32_t i,
                           PyObject* value) const noexcept {
  Cell& cell = activation.input(operands, static_cast<int>(i));
  if (!cell.empty()) return;
  try {
    cell = from_python(value, *inputs[i], CastRule::Strict, "an overwritten input");
  } catch (const PythonError&) {
    PyErr_Clear();
  } catch (const Error&) {
    // Not what it was any more; the report shows no value.
  }
}

std::optional<InputGuard> PythonNode::guard_inputs(const Activation& activation,
                                                   const Operands& operands) const {
  if (!checks_inputs) return std::nullopt;
  return std::optional<InputGuard>(std::in_place, op, destroyed, activation, operands);
}

Cell PythonNode::output(std::size_t j, PyObject* value) const {
  return from_python(value, *outputs[j], CastRule::Strict, output_names[j].c_str());
}

Held::Held(std::shared_ptr<const PythonNode> node, PyRef object)
    : node_(std::move(node)), object_(std::move(object)) {
  node_->held_.push_back(object_.get());
}

Held::~Held() {
  std::vector<PyObject*>& held = node_->held_;
  held.erase(std::find(held.begin(), held.end(), object_.get()));
}

std::int64_t asked_input(PyObject* index, const std::string& asks) {
  const std::string asked = asks + " " + str_of(index) + " (a " + class_name(index) + ")";
  const bool is_bool = PyBool_Check(index) || PyArray_IsScalar(index, Bool);
  PyRef integer = PyRef::adopt(is_bool ? nullptr : PyNumber_Index(index));
  if (!integer) {
    PyErr_Clear();
    throw Error(ErrorKind::Type, asked + ", but inputs are asked for by index, an integer.");
  }
  int overflow = 0;
  const long long input = PyLong_AsLongLongAndOverflow(integer.get(), &overflow);
  if (overflow != 0) throw Error(ErrorKind::Index, asked + ", which is out of range.");
  return input;
}

int visit_objects(const PythonNodes& nodes, visitproc visit, void* arg) {
  for (const std::shared_ptr<const PythonNode>& node : nodes) {
    Py_VISIT(node->node.get());
    for (PyObject* object : node->held()) Py_VISIT(object);
  }
  return 0;
}

void tell_types(const PythonNodes& nodes, GraphVisit& graph) {
  for (const std::shared_ptr<const PythonNode>& node : nodes) {
    for (const TypeRef& type : node->inputs) graph.type(*type);
    for (const TypeRef& type : node->outputs) graph.type(*type);
  }
}

namespace {

PyRef default_thunks() {
  return PyRef::take(PyImport_ImportModule("thunkvm._src.graph.default_thunk"));
}

/// A user's `make_thunk`, with the arguments of 2010.
PyRef of_protocol(const PyRef& make_thunk, bool runs_c) {
  return PyRef::take(PyObject_CallMethod(default_thunks().get(), "of_protocol", "Oz",
                                         make_thunk.get(), runs_c ? nullptr : "py"));
}

/// What makes thunks of an Op's C.
PyRef maker_of_c(const PythonOp& op) {
  return PyRef::take(PyObject_CallMethod(default_thunks().get(), "maker", "O", op.object()));
}

}  // namespace

ThunkSource perform_source(PyObject* performs, std::shared_ptr<PythonNodes> nodes, bool runs_c) {
  return [performs = PyRef::borrow(performs), nodes, runs_c](const Apply& apply) -> ThunkCode {
    const PythonOp* op = python_op(apply.op());
    if (op == nullptr && apply.op()->conditional() != nullptr) return {};
    PyRef handle = PyRef::take(wrap_node(const_cast<Apply*>(&apply)));
    const auto node = std::make_shared<const PythonNode>(apply, handle);
    nodes->push_back(node);
    if (op == nullptr) {
      if (performs.get() == Py_None) return {};
      PyRef perform = PyRef::take(PyObject_CallOneArg(performs.get(), handle.get()));
      if (perform.get() == Py_None) return {};
      return perform_thunk(node, std::move(perform), true);
    }
    if (PyRef make = op->way("make_thunk")) return register_thunk(node, of_protocol(make, runs_c));
    if (!runs_c && op->prefers_c())
      return op->is_lazy_kernel() ? ThunkCode{} : register_thunk(node, maker_of_c(*op));
    if (PyRef demand = op->way("demand")) return generator_thunk(node, std::move(demand));
    if (PyRef perform = op->perform(handle.get()))
      return perform_thunk(node, std::move(perform), false);
    if (op->is_lazy_kernel()) return {};  // which every linker runs
    throw Error(
        ErrorKind::NotImplemented,
        "the Op " + node->op +
            " cannot run in this mode: its class has to define one of perform(node, inputs, "
            "output_storage), demand(node) (a generator) and make_thunk(node, ...); or a "
            "c_code, c_kernel or c_element, which the modes cvm, c, c|py and c&py run.");
  };
}

}  // namespace thunkvm
