#include "python/bindings/graph/python_op.h"

#include "linkers/user_code/user_element.h"
#include "ops/graph/functions.h"
#include "python/bindings/graph/apply.h"
#include "python/bindings/graph/builtin_op.h"
#include "python/bindings/graph/collection.h"
#include "python/bindings/graph/infer_shape.h"
#include "python/bindings/graph/user_kernel.h"
#include "python/bindings/graph/variable.h"
#include "python/bindings/python/host.h"
#include "python/bindings/python/raised.h"

#include <algorithm>
#include <cstring>
#include <unordered_map>

namespace thunkvm {
namespace {

// The one PythonOp of each object that has one now.
std::unordered_map<PyObject*, const PythonOp*>& python_ops() {
  static auto* table = new std::unordered_map<PyObject*, const PythonOp*>;
  return *table;
}

std::string short_class_name(PyObject* object) {
  const char* name = Py_TYPE(object)->tp_name;
  const char* dot = std::strrchr(name, '.');
  return dot == nullptr ? name : dot + 1;
}

std::string repr_of(PyObject* object) {
  PyRef text = PyRef::adopt(PyObject_Repr(object));
  if (text && PyUnicode_Check(text.get())) return std::string(text_of(text.get()));
  PyErr_Clear();
  return "a " + class_name(object);
}

// "[Scale] destroy_map has the entry {0: [5]}, but ".
std::string alias_entry(const std::string& what, const std::string& output,
                        const std::string& inputs) {
  return what + " has the entry {" + output + ": " + inputs + "}, but ";
}

constexpr const char* kAliasRule =
    "; it has to be a dict {output: [inputs]} of positions, which count from 0";

std::uint32_t position(PyObject* number, const std::string& entry) {
  const Py_ssize_t value = PyNumber_AsSsize_t(number, nullptr);
  if (value == -1 && PyErr_Occurred() != nullptr) {
    PyErr_Clear();
    throw Error(ErrorKind::Type,
                entry + repr_of(number) + " is a " + class_name(number) + kAliasRule);
  }
  if (value < 0 || value > UINT32_MAX)
    throw Error(ErrorKind::Value, entry + repr_of(number) + " is no position" + kAliasRule);
  return static_cast<std::uint32_t>(value);
}

// {output: [inputs]}, as Theano's Ops declare it.
AliasMap alias_map(PyObject* object, const std::string& op, const char* name) {
  PyRef declared = attribute_or_null(object, name);
  AliasMap map;
  if (!declared || declared.get() == Py_None) return map;
  const std::string what = "[" + op + "] " + name;
  if (!PyDict_Check(declared.get()))
    throw Error(ErrorKind::Type, what + " is a " + class_name(declared.get()) + kAliasRule);
  const PyRef pairs = PyRef::take(PyDict_Items(declared.get()));
  for (PyObject* pair : Items(pairs.get(), "a dict is expected")) {
    PyObject* const key = PyTuple_GET_ITEM(pair, 0);
    PyObject* const value = PyTuple_GET_ITEM(pair, 1);
    const std::string entry = alias_entry(what, repr_of(key), repr_of(value));
    PyRef inputs = PyRef::adopt(PyUnicode_Check(value) ? nullptr : PySequence_Tuple(value));
    if (!inputs) {
      PyErr_Clear();
      throw Error(ErrorKind::Type,
                  entry + repr_of(value) + " is a " + class_name(value) + kAliasRule);
    }
    std::vector<std::uint32_t> positions;
    for (Py_ssize_t k = 0; k < PyTuple_GET_SIZE(inputs.get()); ++k)
      positions.push_back(position(PyTuple_GET_ITEM(inputs.get(), k), entry));
    map.emplace_back(position(key, entry), std::move(positions));
  }
  std::sort(map.begin(), map.end());
  return map;
}

void check_alias_map(const AliasMap& map, const std::string& what, std::size_t n_inputs,
                     std::size_t n_outputs) {
  const auto missing = [](const char* kind, std::uint32_t at, std::size_t n) {
    return std::string("the node has no ") + kind + " " + std::to_string(at) + ": it has " +
           std::to_string(n) + " " + kind + (n == 1 ? "" : "s");
  };
  for (const auto& [output, inputs] : map) {
    std::string list;
    for (const std::uint32_t i : inputs) list += (list.empty() ? "" : ", ") + std::to_string(i);
    const std::string entry = alias_entry(what, std::to_string(output), "[" + list + "]");
    if (output >= n_outputs)
      throw Error(ErrorKind::Value, entry + missing("output", output, n_outputs) + kAliasRule);
    for (const std::uint32_t i : inputs)
      if (i >= n_inputs)
        throw Error(ErrorKind::Value, entry + missing("input", i, n_inputs) + kAliasRule);
  }
}

PyRef optional_list(std::span<const Variable> variables) {
  PyRef list = PyRef::take(PyList_New(static_cast<Py_ssize_t>(variables.size())));
  for (std::size_t i = 0; i < variables.size(); ++i)
    PyList_SET_ITEM(list.get(), static_cast<Py_ssize_t>(i),
                    variables[i] ? wrap(variables[i]) : Py_NewRef(Py_None));
  return list;
}

// The result of a method of the user's; where it raised, the exception gets a note that says for
// which node.
PyRef result_of(const char* method, const Apply& node, PyObject* result) {
  if (result == nullptr) {
    const std::string origin = node.origin_text();
    add_note("raised by " + node.op()->name() + "." + method + " for the node" +
             (origin.empty() ? "" : " made at " + origin));
  }
  return PyRef::take(result);
}

// A list of tuples of lengths, as users' methods take them; None of what is no tensor.
PyRef shape_list(const Apply& node, OperandShapes shapes, bool are_inputs) {
  PyRef list = PyRef::take(PyList_New(static_cast<Py_ssize_t>(shapes.size())));
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const Type& type = are_inputs ? node.input(static_cast<int>(i)).type()
                                  : node.output_type(static_cast<std::uint32_t>(i));
    PyRef shape = PyRef::borrow(Py_None);
    if (type.tensor() != nullptr) {
      shape = PyRef::take(PyTuple_New(static_cast<Py_ssize_t>(shapes[i].size())));
      for (std::size_t axis = 0; axis < shapes[i].size(); ++axis)
        PyTuple_SET_ITEM(shape.get(), static_cast<Py_ssize_t>(axis),
                         PyLong_FromLongLong(shapes[i][axis]));
    }
    PyList_SET_ITEM(list.get(), static_cast<Py_ssize_t>(i), shape.release());
  }
  return list;
}

double number_of(const PyRef& object) {
  const double number = PyFloat_AsDouble(object.get());
  if (PyErr_Occurred() != nullptr) throw PythonError{};
  return number;
}

bool known_shape(const TensorType& type) {
  return std::all_of(type.shape().begin(), type.shape().end(),
                     [](std::int64_t length) { return length != kUnknownLength; });
}

}  // namespace

PythonOp::PythonOp(PyObject* object)
    : object_(PyRef::borrow(object)),
      name_(short_class_name(object)),
      view_map_(alias_map(object, name_, "view_map")),
      destroy_map_(alias_map(object, name_, "destroy_map")),
      elements_(std::make_unique<UserElements>()) {
  python_ops()[object] = this;
  graphs_may_hold_objects = true;
}

ThunkCode PythonOp::kernel(const Apply& node) const {
  ThunkCode element;
  if (const std::optional<std::string> text = c_element(node))
    element = interruptible([&](Host& host) { return elements_->kernel(node, *text, host); });
  return element ? element : user_kernel(*this, node);
}

std::optional<std::string> PythonOp::c_element(const Apply& node) const {
  const PyRef method = own_method("c_element");
  if (!method || !compiles_user_elements()) return {};
  const PyRef handle = PyRef::take(wrap_node(const_cast<Apply*>(&node)));
  const PyRef answer = PyRef::adopt(PyObject_CallOneArg(method.get(), handle.get()));
  if (!answer && PyErr_ExceptionMatches(PyExc_NotImplementedError) != 0) {
    PyErr_Clear();
    return {};
  }
  if (!answer) throw PythonError{};
  return std::string(text_of(answer.get(), "what c_element returns"));
}

const ElementCode* PythonOp::element_code(const Apply& node) const { return elements_->code(node); }

void PythonOp::check_alias_maps(std::size_t n_inputs, std::size_t n_outputs) const {
  check_alias_map(view_map_, "[" + name_ + "] view_map", n_inputs, n_outputs);
  check_alias_map(destroy_map_, "[" + name_ + "] destroy_map", n_inputs, n_outputs);
}

PythonOp::~PythonOp() { python_ops().erase(object_.get()); }

std::string PythonOp::text() const { return str_of(object_.get()); }

long required_arguments(PyObject* method) {
  PyRef code = attribute_or_null(method, "__code__");
  PyRef count = code ? attribute_or_null(code.get(), "co_argcount") : PyRef();
  if (!count) return 0;
  PyRef defaults = attribute_or_null(method, "__defaults__");
  const long optional = defaults && PyTuple_Check(defaults.get())
                            ? static_cast<long>(PyTuple_GET_SIZE(defaults.get()))
                            : 0;
  return PyLong_AsLong(count.get()) - optional - (PyMethod_Check(method) ? 1 : 0);
}

PyRef PythonOp::own_method(const char* name) const {
  PyRef method = attribute_or_null(object_.get(), name);
  if (!method || method.get() == Py_None) return {};
  PyRef module = attribute_or_null(method.get(), "__module__");
  if (module && PyUnicode_Check(module.get()) && text_of(module.get()) == "thunkvm._src.graph.op")
    return {};
  return method;
}

PyRef PythonOp::perform(PyObject* node) const {
  PyRef method = own_method("perform");
  if (!method || required_arguments(method.get()) != 4 ||
      !attribute_or_null(object(), "params_type"))
    return method;
  PyRef module = PyRef::take(PyImport_ImportModule("thunkvm.c.params_values"));
  return PyRef::take(PyObject_CallMethod(module.get(), "with_params", "OO", method.get(), node));
}

std::vector<Variable> PythonOp::call(std::span<const Variable> inputs) const {
  PyRef make_node = attribute(object_.get(), "make_node");
  PyRef node = PyRef::take(PyObject_CallObject(make_node.get(), wrap_tuple(inputs).get()));
  if (!is_node(node.get()))
    throw Error(ErrorKind::Type, "[" + name_ + "] make_node returned a " + class_name(node.get()) +
                                     "; it has to return an Apply");
  return unwrap_node(node.get())->outputs();
}

std::vector<Variable> PythonOp::grad(Apply& node,
                                     std::span<const Variable> output_gradients) const {
  PyRef method = own_method("grad");
  const bool gets_outputs = !method;
  if (gets_outputs) method = own_method("L_op");
  if (!method) return Op::grad(node, output_gradients);

  std::vector<Variable> incoming(output_gradients.begin(), output_gradients.end());
  const bool lazy = own_method("make_thunk") || own_method("demand");
  for (std::uint32_t j = 0; j < incoming.size(); ++j) {
    const TensorType* tensor = node.output_type(j).tensor();
    if (incoming[j] || tensor == nullptr) continue;
    // The shape of a lazy Op's output is not asked for: that could compute what nobody demands.
    if (!lazy || known_shape(*tensor)) incoming[j] = zeros_like(node.output(j));
  }

  const PyRef inputs = wrap_list(node.inputs()), gradients_in = optional_list(incoming);
  PyRef result = result_of(
      gets_outputs ? "L_op" : "grad", node,
      gets_outputs
          ? PyObject_CallFunctionObjArgs(method.get(), inputs.get(),
                                         wrap_list(node.outputs()).get(), gradients_in.get(),
                                         nullptr)
          : PyObject_CallFunctionObjArgs(method.get(), inputs.get(), gradients_in.get(), nullptr));
  if (!PyList_Check(result.get()) && !PyTuple_Check(result.get()))
    throw Error(ErrorKind::Type, "[" + name_ + "] grad returned a " + class_name(result.get()) +
                                     "; it has to return a list with one entry for each input");
  const Items items(result.get(), "a sequence is expected");
  const Py_ssize_t n = items.size();
  if (n != static_cast<Py_ssize_t>(node.n_inputs()))
    throw Error(ErrorKind::Value, "[" + name_ + "] grad returned " + std::to_string(n) +
                                      " gradients for " + std::to_string(node.n_inputs()) +
                                      " inputs; it has to return one for each, None where the "
                                      "output does not depend on it");
  std::vector<Variable> gradients;
  for (Py_ssize_t i = 0; i < n; ++i) {
    PyObject* item = items[i];
    if (item == Py_None) {
      gradients.emplace_back();
      continue;
    }
    const Variable& input = node.input(static_cast<int>(i));
    Variable gradient = as_variable(item);
    const TensorType* tensor = input.type().tensor();
    if (tensor != nullptr && gradient.ndim() != tensor->ndim())
      throw Error(ErrorKind::Type, "[" + name_ + "] grad returned a " + gradient.type().text() +
                                       " for input " + std::to_string(i) + " (" + input.text() +
                                       "), which is a " + tensor->text() +
                                       "; a gradient has the shape of its input");
    gradients.push_back(std::move(gradient));
  }
  return gradients;
}

std::vector<Extents> PythonOp::infer_shape(Apply& node,
                                           std::span<const Extents> input_shapes) const {
  PyRef method = own_method("infer_shape");
  return method ? call_infer_shape(method.get(), node, input_shapes)
                : Op::infer_shape(node, input_shapes);
}

std::vector<Variable> PythonOp::batch(Apply& node, std::span<const Variable> inputs,
                                      const std::vector<bool>& batched) const {
  PyRef method = own_method("batch");
  if (!method) return Op::batch(node, inputs, batched);
  PyRef flags = PyRef::take(PyList_New(static_cast<Py_ssize_t>(batched.size())));
  for (std::size_t i = 0; i < batched.size(); ++i)
    PyList_SET_ITEM(flags.get(), static_cast<Py_ssize_t>(i), PyBool_FromLong(batched[i] ? 1 : 0));
  PyRef node_object = PyRef::take(wrap_node(&node));
  PyRef result =
      result_of("batch", node,
                PyObject_CallFunctionObjArgs(method.get(), node_object.get(),
                                             wrap_list(inputs).get(), flags.get(), nullptr));
  if (is_variable(result.get())) return {unwrap(result.get())};
  std::vector<Variable> outputs =
      require_variables(result.get(), ("[" + name_ + "] what batch returns").c_str());
  if (outputs.size() != node.n_outputs())
    throw Error(ErrorKind::Value, "[" + name_ + "] batch returned " +
                                      std::to_string(outputs.size()) + " outputs; the node has " +
                                      std::to_string(node.n_outputs()));
  return outputs;
}

bool PythonOp::states_work() const { return own_method("flops") || own_method("bytes_moved"); }

double PythonOp::flops(const Apply& node, OperandShapes inputs, OperandShapes outputs) const {
  const PyRef method = own_method("flops");
  if (!method) return 0;
  return number_of(
      result_of("flops", node,
                PyObject_CallFunctionObjArgs(method.get(), shape_list(node, inputs, true).get(),
                                             shape_list(node, outputs, false).get(), nullptr)));
}

double PythonOp::bytes_moved(const Apply& node, OperandShapes inputs, OperandShapes outputs) const {
  const PyRef method = own_method("bytes_moved");
  if (!method) return 0;
  const PyRef handle = PyRef::take(wrap_node(const_cast<Apply*>(&node)));
  return number_of(result_of(
      "bytes_moved", node,
      PyObject_CallFunctionObjArgs(method.get(), handle.get(), shape_list(node, inputs, true).get(),
                                   shape_list(node, outputs, false).get(), nullptr)));
}

PyObject* wrap_op(const Op& op) {
  if (const PythonOp* of_user = python_op(&op)) return Py_NewRef(of_user->object());
  return wrap_builtin_op(op);
}

Ref<const Op> unwrap_op(PyObject* object) {
  if (is_builtin_op(object)) return unwrap_builtin_op(object);
  const auto found = python_ops().find(object);
  if (found != python_ops().end()) return found->second;
  if (PyType_Check(object) || !attribute_or_null(object, "make_node"))
    throw Error(ErrorKind::Type,
                str_of(object) +
                    " is no Op: an instance of a class with make_node and one of "
                    "perform, make_thunk or demand is expected" +
                    (PyType_Check(object) ? "; this is a class, make an instance of it" : ""));
  return Ref<const Op>(new PythonOp(object));
}

}  // namespace thunkvm
