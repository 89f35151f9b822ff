#include "python/bindings/python_thunk.h"

#include "python/bindings/apply.h"
#include "python/bindings/python_op.h"
#include "python/bindings/value.h"

namespace thunkvm {

PythonNode::PythonNode(const Apply& apply, PyRef handle)
    : node(std::move(handle)), op(apply.op()->name()) {
  for (const Variable& input : apply.inputs()) inputs.push_back(input.type_ref());
  for (std::uint32_t j = 0; j < apply.n_outputs(); ++j) {
    outputs.emplace_back(&apply.output_type(j));
    output_names.push_back("output " + std::to_string(j) + " of " + op);
  }
}

Cell PythonNode::output(std::size_t j, PyObject* value) const {
  return from_python(value, *outputs[j], CastRule::Strict, output_names[j].c_str());
}

ThunkSource perform_source(PyObject* performs) {
  return [performs = PyRef::borrow(performs)](const Apply& apply) -> ThunkCode {
    const PythonOp* op = python_op(apply.op());
    if (op == nullptr && apply.op()->conditional() != nullptr) return {};
    PyRef handle = PyRef::take(wrap_node(const_cast<Apply*>(&apply)));
    const auto node = std::make_shared<const PythonNode>(apply, handle);
    if (op == nullptr) {
      if (performs.get() == Py_None) return {};
      PyRef perform = PyRef::take(PyObject_CallOneArg(performs.get(), handle.get()));
      if (perform.get() == Py_None) return {};
      return perform_thunk(apply, node, std::move(perform), true);
    }
    if (PyRef make = op->own_method("make_thunk")) return register_thunk(node, std::move(make));
    if (PyRef demand = op->own_method("demand")) return generator_thunk(node, std::move(demand));
    if (PyRef perform = op->own_method("perform"))
      return perform_thunk(apply, node, std::move(perform), false);
    throw Error(ErrorKind::NotImplemented,
                "the Op " + node->op +
                    " cannot run: its class has to define one of perform(node, inputs, "
                    "output_storage), demand(node) (a generator) and make_thunk(node, ...).");
  };
}

}  // namespace thunkvm
