#include "python/bindings/graph/collection.h"

#include "python/bindings/graph/python_op.h"
#include "python/bindings/graph/type.h"
#include "python/bindings/graph/value.h"

#include <unordered_map>
#include <vector>

namespace thunkvm {
namespace {

// How the collector's two questions are told apart: it asks each with a function of its own.
visitproc counting_visitor = nullptr;
visitproc marking_visitor = nullptr;

// The findings of the collection that goes on. Under the GIL, and no code of Python's runs within a
// stage; between two it may.
struct Collection {
  enum class Stage : std::uint8_t { None, Counting, Marking };

  bool is_full = false;
  Stage stage = Stage::None;
  /// The number of this stage; never used again.
  std::uint64_t number = 0;
  /// How many references were found in this stage, by their target.
  std::unordered_map<const void*, std::uint32_t> found;
  std::vector<const Apply*> pending;

  void begin(Stage next) {
    stage = next;
    found.clear();
    ++number;
  }
};

Collection& collection() {
  static auto* collection = new Collection;  // graphs may outlive the interpreter
  return *collection;
}

PyObject* follow_collector(PyObject*, PyObject* const* arguments, Py_ssize_t n) {
  return guard([&] {
    if (n != 2) throw Error(ErrorKind::Type, "a callback of the collector gets (phase, info)");
    Collection& now = collection();
    PyObject* generation = PyDict_GetItemString(arguments[1], "generation");
    const bool starts = text_of(arguments[0]) == "start";
    now.stage = Collection::Stage::None;
    now.found.clear();
    now.is_full = starts && generation != nullptr && PyLong_AsLong(generation) == 2;
    return PyRef::borrow(Py_None);
  });
}

PyMethodDef follow_collector_method = {
    "follow_collector",
    reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(follow_collector)), METH_FASTCALL,
    "Tells thunkvm's graphs that a collection begins or has ended."};

// An object that a collection looks at to show which function it asks which question with.
int probe_traverse(PyObject* self, visitproc visit, void* arg) {
  if (counting_visitor == nullptr)
    counting_visitor = visit;
  else if (visit != counting_visitor && marking_visitor == nullptr)
    marking_visitor = visit;
  Py_VISIT(Py_TYPE(self));
  return 0;
}

void find_visitors(PyObject* gc) {
#if PY_VERSION_HEX < 0x030E0000  // the order of the questions is CPython's own business
  static PyType_Slot slots[] = {
      {Py_tp_traverse, reinterpret_cast<void*>(probe_traverse)},
      {0, nullptr},
  };
  static PyType_Spec spec = {"thunkvm._core.CollectorProbe", sizeof(PyObject), 0,
                             Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, slots};
  PyRef type = PyRef::take(PyType_FromSpec(&spec));
  PyRef probe = PyRef::take(PyObject_CallNoArgs(type.get()));
  PyRef::take(PyObject_CallMethod(gc, "collect", "i", 0));
#else
  (void)gc;
#endif
}

}  // namespace

bool graphs_may_hold_objects = false;

bool tells_of_graphs(visitproc visit, std::uint64_t& counted) {
  using Stage = Collection::Stage;
  Collection& now = collection();
  if (!now.is_full) return false;
  if (visit == counting_visitor) {
    // A holder that is counted again: finalizers have run, and the collector counts anew.
    if (now.stage != Stage::Counting || counted == now.number) now.begin(Stage::Counting);
    counted = now.number;
  } else if (visit == marking_visitor) {
    if (now.stage != Stage::Marking) now.begin(Stage::Marking);
  } else {
    return false;
  }
  return true;
}

// Counting: whether this was the last reference to be found. Marking: whether it is the first.
bool GraphVisit::complete(const void* thing, std::uint32_t references) {
  Collection& now = collection();
  const std::uint32_t found = ++now.found[thing];
  return found == (now.stage == Collection::Stage::Counting ? references : 1);
}

void GraphVisit::enter(const Apply* node) {
  if (complete(node, node->references())) collection().pending.push_back(node);
}

void GraphVisit::node(const Apply* node) {
  std::vector<const Apply*>& pending = collection().pending;
  enter(node);
  while (!pending.empty()) {
    const Apply& next = *pending.back();
    pending.pop_back();
    look_at(next);
  }
}

void GraphVisit::look_at(const Apply& node) {
  for (std::uint32_t j = 0; j < node.n_outputs(); ++j) type(node.output_type(j));
  if (node.leaf() != Leaf::None) {
    const Variable leaf = const_cast<Apply&>(node).output(0);
    if (leaf.is_constant()) value(leaf.constant_value());
    if (leaf.leaf() == Leaf::Shared) shared(leaf.shared_value());
    return;
  }
  const PythonOp* op = python_op(node.op());
  if (op != nullptr && complete(op, op->references())) object(op->object());
  for (const Variable& input : node.inputs()) enter(input.node());
}

void GraphVisit::shared(const SharedValue& shared) {
  if (!complete(&shared, shared.references())) return;
  value(shared.get());
  type(shared.type());
}

void GraphVisit::type(const Type& type) {
  if (type.tensor() != nullptr) return;
  const auto* python = dynamic_cast<const PythonType*>(&type);
  if (python != nullptr && complete(python, python->references())) object(python->object());
}

void GraphVisit::value(const Cell& cell) {
  if (cell.is_object()) object(object_of(cell));
}

void GraphVisit::object(PyObject* object) {
  if (status_ == 0) status_ = visit_(object, arg_);
}

void init_collection(PyObject*) {
  PyRef gc = PyRef::take(PyImport_ImportModule("gc"));
  find_visitors(gc.get());
  PyRef callbacks = attribute(gc.get(), "callbacks");
  PyRef follow = PyRef::take(PyCFunction_New(&follow_collector_method, nullptr));
  check(PyList_Append(callbacks.get(), follow.get()));
}

}  // namespace thunkvm
