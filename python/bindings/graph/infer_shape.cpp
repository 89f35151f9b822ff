#include "python/bindings/graph/infer_shape.h"

#include "ops/graph/array_op.h"
#include "ops/graph/extents.h"
#include "python/bindings/graph/apply.h"
#include "python/bindings/graph/python_op.h"
#include "python/bindings/graph/variable.h"
#include "python/bindings/python/list_of.h"

#include <string>
#include <utility>

namespace thunkvm {
namespace {

constexpr const char* kRule =
    "; infer_shape has to return, for each output, a tuple with a 0-d integer for each axis (None "
    "for an output that has to be computed to know)";

std::string plural(Py_ssize_t n, const char* what) {
  return std::to_string(n) + " " + what + (n == 1 ? "" : "s");
}

bool is_sequence(PyObject* object) { return PyTuple_Check(object) || PyList_Check(object); }

Variable read_extent(PyObject* item, const std::string& where) {
  if (!is_variable(item) && (!PyIndex_Check(item) || PyBool_Check(item)))
    throw Error(ErrorKind::Type, where + "is a " + class_name(item) + kRule);
  const Variable extent = is_variable(item) ? unwrap(item) : as_variable(item);
  const TensorType* type = extent.type().tensor();
  if (type == nullptr || type->ndim() != 0 || !is_integral(type->dtype()) ||
      type->dtype() == DType::Bool)
    throw Error(ErrorKind::Type,
                where + "(" + extent.text() + ") is a " + extent.type().text() + kRule);
  if (extent.is_constant()) return cast_now(extent, DType::Int64);
  return element_of(extent, 0);
}

Extents read_shape(PyObject* shape, Apply& node, std::uint32_t j) {
  const std::string output =
      "[" + node.op()->name() + "] the shape of output " + std::to_string(j) + " ";
  const TensorType* type = node.output_type(j).tensor();
  if (shape == Py_None) return extents_of(node.output(j));
  if (type == nullptr)
    throw Error(ErrorKind::Type, output + "is a " + class_name(shape) + ", but the output is a " +
                                     node.output_type(j).text() +
                                     ", which has none: its entry has to be None");
  if (!is_sequence(shape))
    throw Error(ErrorKind::Type, output + "is a " + class_name(shape) + kRule);
  const Items items(shape, "a sequence is expected");
  if (items.size() != type->ndim())
    throw Error(ErrorKind::Value, output + "has " + plural(items.size(), "length") +
                                      ", but the output is a " + type->text() + kRule);
  Extents extents;
  for (Py_ssize_t axis = 0; axis < items.size(); ++axis) {
    const std::string where = output + "has for axis " + std::to_string(axis) + " what ";
    extents.push_back(read_extent(items[axis], where));
    const std::int64_t known = type->shape()[static_cast<std::size_t>(axis)];
    const auto said = known_extent(extents.back());
    if (said && (*said < 0 || (known >= 0 && *said != known)))
      throw Error(ErrorKind::Value, output + "has length " + std::to_string(*said) + " for axis " +
                                        std::to_string(axis) + ", but the output is a " +
                                        type->text() + kRule);
  }
  return extents;
}

}  // namespace

std::vector<Extents> call_infer_shape(PyObject* method, Apply& node,
                                      std::span<const Extents> input_shapes) {
  PyRef node_object = PyRef::take(wrap_node(&node));
  int i = 0;
  const PyRef shapes_of_inputs = list_of(input_shapes, [&](const Extents& shape) {
    const bool is_tensor = node.input(i++).type().tensor() != nullptr;
    return is_tensor ? wrap_tuple(shape) : PyRef::borrow(Py_None);
  });
  // PyTensor's gets a graph first.
  PyObject* arguments[] = {Py_None, node_object.get(), shapes_of_inputs.get()};
  const int first = required_arguments(method) == 3 ? 0 : 1;
  const PyRef result = result_of(
      "infer_shape", node,
      PyObject_Vectorcall(method, arguments + first, static_cast<std::size_t>(3 - first), nullptr));
  const std::string op = "[" + node.op()->name() + "] infer_shape returned ";
  if (!is_sequence(result.get()))
    throw Error(ErrorKind::Type, op + "a " + class_name(result.get()) + kRule);
  const Items items(result.get(), "a sequence is expected");
  if (items.size() != static_cast<Py_ssize_t>(node.n_outputs()))
    throw Error(ErrorKind::Value, op + plural(items.size(), "shape") + " for " +
                                      plural(node.n_outputs(), "output") + kRule);
  std::vector<Extents> shapes;
  for (std::uint32_t j = 0; j < node.n_outputs(); ++j)
    shapes.push_back(read_shape(items[static_cast<Py_ssize_t>(j)], node, j));
  return shapes;
}

}  // namespace thunkvm
