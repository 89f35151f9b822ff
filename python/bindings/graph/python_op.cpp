#include "python/bindings/graph/python_op.h"

#include "linkers/compiler/compiler.h"
#include "linkers/compiler/toolchain.h"
#include "linkers/user_code/user_element.h"
#include "ops/graph/functions.h"
#include "python/bindings/graph/alias_map.h"
#include "python/bindings/graph/apply.h"
#include "python/bindings/graph/builtin_op.h"
#include "python/bindings/graph/collection.h"
#include "python/bindings/graph/infer_shape.h"
#include "python/bindings/graph/type.h"
#include "python/bindings/graph/user_kernel.h"
#include "python/bindings/graph/variable.h"
#include "python/bindings/python/host.h"
#include "python/bindings/python/list_of.h"
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

PyRef optional_list(std::span<const Variable> variables, PyObject* absent) {
  return list_of(variables, [&](const Variable& variable) {
    return variable ? wrap(variable) : Py_NewRef(absent);
  });
}

// A list of tuples of lengths, as users' methods take them; None of what is no tensor.
PyRef shape_list(const Apply& node, OperandShapes shapes, bool are_inputs) {
  std::uint32_t i = 0;
  return list_of(shapes, [&](const auto& shape) {
    const std::uint32_t at = i++;
    const Type& type = are_inputs ? node.input(static_cast<int>(at)).type() : node.output_type(at);
    return type.tensor() == nullptr ? PyRef::borrow(Py_None) : tuple_of(shape, PyLong_FromLongLong);
  });
}

// Whether an entry of what `grad` returns says that there is no gradient: None, or Theano's
// variable of a DisconnectedType.
bool is_no_gradient(PyObject* entry) {
  if (entry == Py_None) return true;
  if (!is_variable(entry)) return false;
  const auto* type = dynamic_cast<const PythonType*>(&unwrap(entry).type());
  return type != nullptr && attribute_or_null(type->object(), "is_disconnected");
}

// Such a variable.
PyRef disconnected() {
  PyRef module = PyRef::take(PyImport_ImportModule("thunkvm._src.graph.disconnected"));
  PyRef type = PyRef::take(PyObject_CallMethod(module.get(), "DisconnectedType", nullptr));
  return PyRef::take(PyObject_CallNoArgs(type.get()));
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

/// What a method of an Op returns: a derivative for each input, or for each output.
struct Derivatives {
  std::string_view op;
  const char *method, *kind, *place;

  template <class Values>
  std::vector<Variable> of(const Values& values, PyObject* result) const {
    const std::string returned = "[" + std::string(op) + "] " + method + " returned ";
    if (!PyList_Check(result) && !PyTuple_Check(result))
      throw Error(ErrorKind::Type, returned + "a " + class_name(result) +
                                       "; it has to return a list with one entry for each " +
                                       place);
    const Items items(result, "a sequence is expected");
    if (static_cast<std::size_t>(items.size()) != values.size())
      throw Error(ErrorKind::Value,
                  returned + std::to_string(items.size()) + " " + kind + "s for " +
                      std::to_string(values.size()) + " " + place +
                      "s; it has to return one for each, None where the output does not depend "
                      "on it");
    std::vector<Variable> derivatives;
    for (std::size_t i = 0; i < values.size(); ++i) {
      PyObject* const item = items[static_cast<Py_ssize_t>(i)];
      if (is_no_gradient(item)) {
        derivatives.emplace_back();
        continue;
      }
      Variable derivative = as_variable(item);
      const TensorType* const tensor = values[i].type().tensor();
      if (tensor != nullptr && derivative.ndim() != tensor->ndim())
        throw Error(ErrorKind::Type, returned + "a " + derivative.type().text() + " for " + place +
                                         " " + std::to_string(i) + " (" + values[i].text() +
                                         "), which is a " + tensor->text() + "; a " + kind +
                                         " has the shape of its " + place);
      derivatives.push_back(std::move(derivative));
    }
    return derivatives;
  }
};

}  // namespace

PyRef result_of(const char* method, const Apply& node, PyObject* result) {
  if (result == nullptr) {
    const std::string origin = node.origin_text();
    add_note("raised by " + node.op()->name() + "." + method + " for the node" +
             (origin.empty() ? "" : " made at " + origin));
  }
  return PyRef::take(result);
}

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
  const PyRef method = way("c_element");
  if (!method) return {};
  const CompilerSettings settings = default_settings();
  const auto toolchain = interruptible([&](Host& host) { return find_toolchain(settings, host); });
  if (!toolchain->usable()) return {};
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

std::string PythonOp::implementation() const {
  const PyRef value = attribute_or_null(object_.get(), "implementation");
  if (!value || value.get() == Py_None) return {};
  const std::string_view names[] = {"py", "c", "c|py"};
  const std::string_view name = PyUnicode_Check(value.get()) ? text_of(value.get()) : "";
  if (std::ranges::find(names, name) == std::end(names))
    throw Error(ErrorKind::Value,
                "[" + name_ + "] implementation is " +
                    std::string(text_of(PyRef::take(PyObject_Repr(value.get())).get())) +
                    "; it has to be 'py', 'c', 'c|py' or None");
  return std::string(name);
}

PyRef PythonOp::way(const char* name) const {
  const std::string left_in = implementation();
  const bool in_c = std::string_view(name).starts_with("c_");
  if ((in_c && left_in == "py") || (!in_c && left_in == "c")) return {};
  return own_method(name);
}

bool PythonOp::prefers_c() const {
  return implementation().starts_with("c") &&
         (way("c_code") || way("c_kernel") || way("c_element"));
}

bool PythonOp::is_lazy_kernel() const {
  const PyRef says = attribute_or_null(object_.get(), "c_kernel_is_lazy");
  return says && check(PyObject_IsTrue(says.get())) != 0 && way("c_kernel");
}

PyRef PythonOp::perform(PyObject* node) const {
  PyRef method = way("perform");
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
  return unwrap_node(node.get()).outputs();
}

std::vector<Variable> PythonOp::grad(Apply& node,
                                     std::span<const Variable> output_gradients) const {
  PyRef method = own_method("grad");
  const bool gets_outputs = !method;
  if (gets_outputs) method = own_method("L_op");
  if (!method) return Op::grad(node, output_gradients);

  std::vector<Variable> incoming(output_gradients.begin(), output_gradients.end());
  const bool lazy = own_method("make_thunk") || own_method("demand") || is_lazy_kernel();
  for (std::uint32_t j = 0; j < incoming.size(); ++j) {
    const TensorType* tensor = node.output_type(j).tensor();
    if (incoming[j] || tensor == nullptr) continue;
    // The shape of a lazy Op's output is not asked for: that could compute what nobody demands.
    if (!lazy || known_shape(*tensor)) incoming[j] = zeros_like(node.output(j));
  }

  const PyRef absent = own_method("connection_pattern") ? disconnected() : PyRef::borrow(Py_None);
  const PyRef inputs = wrap_list(node.inputs()),
              gradients_in = optional_list(incoming, absent.get());
  PyRef result = result_of(
      gets_outputs ? "L_op" : "grad", node,
      gets_outputs
          ? PyObject_CallFunctionObjArgs(method.get(), inputs.get(),
                                         wrap_list(node.outputs()).get(), gradients_in.get(),
                                         nullptr)
          : PyObject_CallFunctionObjArgs(method.get(), inputs.get(), gradients_in.get(), nullptr));
  const Derivatives found{name_, "grad", "gradient", "input"};
  return found.of(node.inputs(), result.get());
}

std::optional<std::vector<Variable>> PythonOp::push_forward(
    Apply& node, std::span<const Variable> tangents) const {
  const PyRef inputs = wrap_list(node.inputs()), along = optional_list(tangents, Py_None);
  if (const PyRef method = own_method("R_op")) {
    const PyRef result =
        result_of("R_op", node,
                  PyObject_CallFunctionObjArgs(method.get(), inputs.get(), along.get(), nullptr));
    return Derivatives{name_, "R_op", "tangent", "output"}.of(node.outputs(), result.get());
  }
  const PyRef method = own_method("pushforward");
  if (!method) return std::nullopt;
  const PyRef result = result_of(
      "pushforward", node,
      PyObject_CallFunctionObjArgs(method.get(), inputs.get(), wrap_list(node.outputs()).get(),
                                   along.get(), nullptr));
  return Derivatives{name_, "pushforward", "tangent", "output"}.of(node.outputs(), result.get());
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
  const PyRef flags = list_of(batched, PyBool_FromLong);
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
