#include "python/bindings/graph/work.h"

#include "ops/graph/op.h"
#include "ops/graph/work.h"
#include "python/bindings/graph/apply.h"

#include <vector>

namespace thunkvm {
namespace {

/// Shapes, as a sequence of sequences of lengths.
class Shapes {
 public:
  Shapes(PyObject* sequence, std::size_t n) {
    for (PyObject* shape : Items(sequence, "shapes have to be a sequence")) {
      std::vector<std::int64_t>& lengths = lengths_.emplace_back();
      for (PyObject* length : Items(shape, "a shape has to be a sequence of lengths")) {
        lengths.push_back(PyLong_AsLongLong(length));
        if (PyErr_Occurred() != nullptr) throw PythonError{};
      }
    }
    if (lengths_.size() != n)
      throw Error(ErrorKind::Value, std::to_string(lengths_.size()) + " shapes were given for " +
                                        std::to_string(n) + " operands; give one for each");
    for (const std::vector<std::int64_t>& lengths : lengths_) dims_.emplace_back(lengths);
  }
  OperandShapes all() const { return dims_; }

 private:
  std::vector<std::vector<std::int64_t>> lengths_;
  std::vector<Dims> dims_;
};

PyObject* node_work(PyObject*, PyObject* args) {
  PyObject *object, *inputs, *outputs;
  if (!PyArg_ParseTuple(args, "OOO:node_work", &object, &inputs, &outputs)) return nullptr;
  return guard([&] {
    const Apply& node = *unwrap_node(object);
    const auto* const states = dynamic_cast<const StatesWork*>(node.op());
    if (states == nullptr || !states->states_work()) return PyRef::borrow(Py_None);
    const Shapes given(inputs, node.n_inputs()), made(outputs, node.n_outputs());
    return PyRef::take(Py_BuildValue("(dd)", states->flops(node, given.all(), made.all()),
                                     states->bytes_moved(node, given.all(), made.all())));
  });
}

PyMethodDef functions[] = {
    {"node_work", node_work, METH_VARARGS,
     "node_work(node, input_shapes, output_shapes)\n--\n\n"
     "(floating-point operations, bytes read and written) of one run of a node with operands of "
     "these shapes; None where its Op states neither."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

void init_work(PyObject* module) { check(PyModule_AddFunctions(module, functions)); }

}  // namespace thunkvm
