// implementation.cpp: one way in which a node runs. By hand: its objects hold graphs, of which the
// garbage collector asks.
#include "linkers/linker.h"
#include "linkers/lone_thunk.h"
#include "python/bindings/graph/apply.h"
#include "python/bindings/graph/collection.h"
#include "python/bindings/graph/python_op.h"
#include "python/bindings/graph/value.h"
#include "python/bindings/python/host.h"
#include "python/bindings/python/list_of.h"
#include "python/bindings/python/raised.h"
#include "python/bindings/python/topics.h"
#include "python/bindings/thunks/c_thunk.h"
#include "python/bindings/thunks/python_thunk.h"

#include <span>
#include <utility>

namespace thunkvm {
namespace {

/// One way in which a node runs.
class Implementation {
 public:
  Implementation(Apply& apply, ThunkCode code, std::shared_ptr<PythonNodes> nodes)
      : thunk_(apply, std::move(code)), nodes_(std::move(nodes)) {}

  ThunkForm form() const { return thunk_.code().form; }
  /// What it alone has.
  const Apply& node() const { return thunk_.node(); }
  const PythonNodes& nodes() const { return *nodes_; }

  /// The outputs for these inputs, which the code sees as they are. `lent`: None, or a list with an
  /// array for each output that the code may write to, or None for those that it gets none for; its
  /// items are taken out. `dying`: the code may take over the memory of copies of the inputs.
  PyRef run(PyObject* inputs, PyObject* lent, bool dying) const {
    const auto n_inputs = static_cast<Py_ssize_t>(thunk_.node().n_inputs());
    const auto n_outputs = static_cast<Py_ssize_t>(thunk_.node().n_outputs());
    const Items given(inputs, "the inputs of an implementation are a list of values");
    if (given.size() != n_inputs)
      throw Error(ErrorKind::Value, "the node has " + std::to_string(n_inputs) +
                                        " inputs, but got " + std::to_string(given.size()) +
                                        " values.");
    std::vector<Cell> cells(thunk_.n_cells());
    for (Py_ssize_t i = 0; i < n_inputs; ++i) {
      const Type& type = thunk_.node().input(static_cast<int>(i)).type();
      const std::string what = "input " + std::to_string(i);
      Cell& cell = cells[static_cast<std::size_t>(i)];
      cell = from_python(given[i], type, CastRule::Strict, what.c_str());
      if (dying) cell = copy_value(cell, type);
    }
    if (lent != Py_None) {
      if (!PyList_Check(lent) || PyList_GET_SIZE(lent) != n_outputs)
        throw Error(ErrorKind::Value, "what is lent is a list with an item for each output.");
      for (Py_ssize_t j = 0; j < n_outputs; ++j)
        lend(PyRef::adopt(std::exchange(*item_of(lent, j), Py_NewRef(Py_None))),
             static_cast<std::uint32_t>(j), cells[static_cast<std::size_t>(n_inputs + j)]);
    }
    PythonHost host;
    if (const std::exception_ptr error = thunk_.run(cells, lent != Py_None, dying, host)) {
      set_failure({error});
      throw PythonError{};
    }
    return list_of(std::span(cells).subspan(thunk_.node().n_inputs()),
                   [](const Cell& output) { return to_python(output); });
  }

 private:
  static PyObject** item_of(PyObject* list, Py_ssize_t j) {
    return &reinterpret_cast<PyListObject*>(list)->ob_item[j];
  }

  /// Kernels write where the machine has made the array; Ops of users' to any array.
  void lend(PyRef array, std::uint32_t j, Cell& cell) const {
    if (array.get() == Py_None) return;
    if (form() != ThunkForm::Kernel) {
      cell = object_cell(array.get());
      return;
    }
    const Type& type = thunk_.node().output_type(j);
    if (type.tensor() != nullptr && type.tensor()->ndim() != 0)
      cell = from_python(array.get(), type, CastRule::Strict, "what is lent");
  }

  const LoneThunk thunk_;
  const std::shared_ptr<PythonNodes> nodes_;
};

struct ImplementationObject {
  PyObject_HEAD Implementation* implementation;
};
PyTypeObject* implementation_class = nullptr;

ImplementationObject* self_of(PyObject* self) {
  return reinterpret_cast<ImplementationObject*>(self);
}

int traverse(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  const Implementation* implementation = self_of(self)->implementation;
  if (implementation == nullptr) return 0;
  if (const int stop = visit_objects(implementation->nodes(), visit, arg); stop != 0) return stop;
  return visit_graph(self, visit, arg, [&](GraphVisit& graph) {
    graph.node(&implementation->node());
    tell_types(implementation->nodes(), graph);
  });
}

int clear(PyObject* self) {
  leave_holder(self);
  delete std::exchange(self_of(self)->implementation, nullptr);
  return 0;
}

void destroy(PyObject* self) {
  PyObject_GC_UnTrack(self);
  clear(self);
  free_object(self);
}

PyObject* run(PyObject* self, PyObject* args, PyObject* kwargs) {
  static const char* names[] = {"inputs", "lent", "dying", nullptr};
  PyObject *inputs, *lent = Py_None;
  int dying = 0;
  return guard([&] {
    parse(args, kwargs, "O|Op:run", names, &inputs, &lent, &dying);
    if (self_of(self)->implementation == nullptr)
      throw Error(ErrorKind::Runtime, "the garbage collector took this implementation");
    return self_of(self)->implementation->run(inputs, lent, dying != 0);
  });
}

PyMethodDef methods[] = {
    {"run", with_keywords(run), METH_VARARGS | METH_KEYWORDS,
     "run(inputs, lent=None, dying=False)\n--\n\n"
     "The list of the outputs for these inputs. `lent` is a list with an array for each output "
     "that\n"
     "may be written to, or None; its items are taken out. `dying` lets the code take over the\n"
     "memory of copies of the inputs."},
    {nullptr, nullptr, 0, nullptr},
};

PyGetSetDef properties[] = {
    readable<[](PyObject* self) {
      const Implementation* implementation = self_of(self)->implementation;
      return to_text(implementation == nullptr ? "" : name(implementation->form()));
    }>("form", "\"kernel\", \"c\" or \"perform\"."),
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

PyType_Slot slots[] = {
    {Py_tp_dealloc, reinterpret_cast<void*>(destroy)},
    {Py_tp_traverse, reinterpret_cast<void*>(traverse)},
    {Py_tp_clear, reinterpret_cast<void*>(clear)},
    {Py_tp_methods, methods},
    {Py_tp_getset, properties},
    {Py_tp_doc, const_cast<char*>("One way in which a node runs.")},
    {0, nullptr},
};

PyType_Spec spec = {"thunkvm._core.Implementation", sizeof(ImplementationObject), 0,
                    Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
                    slots};

PyRef wrap(std::unique_ptr<Implementation> implementation) {
  ImplementationObject* object = PyObject_GC_New(ImplementationObject, implementation_class);
  if (object == nullptr) throw PythonError{};
  object->implementation = implementation.release();
  auto* result = reinterpret_cast<PyObject*>(object);
  show_holder(result);
  return PyRef::take(result);
}

/// The `perform` of a node: the user's own, or the NumPy implementation of a built-in Op's.
ThunkCode perform_of(Apply& apply, PyObject* performs, const std::shared_ptr<PythonNodes>& nodes) {
  const PythonOp* op = python_op(apply.op());
  PyRef handle = PyRef::take(wrap_node(&apply));
  PyRef perform = op != nullptr ? op->perform(handle.get())
                                : PyRef::take(PyObject_CallOneArg(performs, handle.get()));
  if (!perform || perform.get() == Py_None) return {};
  auto node = std::make_shared<const PythonNode>(apply, std::move(handle));
  nodes->push_back(node);
  return perform_thunk(std::move(node), std::move(perform), op == nullptr);
}

/// The ways in which a node may run eagerly: none of a lazy Op's or a conditional's.
PyObject* implementations(PyObject*, PyObject* args) {
  PyObject *object, *performs, *c_code;
  if (!PyArg_ParseTuple(args, "OOO:implementations", &object, &performs, &c_code)) return nullptr;
  return guard([&] {
    Apply& apply = unwrap_node(object);
    PyRef list = PyRef::take(PyList_New(0));
    if (apply.op() == nullptr || apply.op()->conditional() != nullptr) return list;
    const PythonOp* op = python_op(apply.op());
    if (op != nullptr && op->way("demand")) return list;
    // Each way has nodes of its own: the collector is told of them by each.
    const auto add = [&](ThunkCode code, std::shared_ptr<PythonNodes> nodes) {
      if (!code || code.lazy) return;
      PyRef way = wrap(std::make_unique<Implementation>(apply, std::move(code), std::move(nodes)));
      check(PyList_Append(list.get(), way.get()));
    };
    const auto of_c = std::make_shared<PythonNodes>(), of_perform = std::make_shared<PythonNodes>();
    add(native_thunk(apply), std::make_shared<PythonNodes>());
    const Variable roots[] = {apply.output(0)};
    const CNodes c_nodes(roots, op != nullptr && op->way("c_code") ? c_code : Py_None);
    ThunkCode c_thunk = c_nodes.source(of_c)(apply);
    if (c_thunk) {
      Schedule schedule = schedule_of_node(apply);
      c_nodes.compile(schedule, true);
    }
    add(std::move(c_thunk), of_c);
    add(perform_of(apply, performs, of_perform), of_perform);
    return list;
  });
}

PyMethodDef functions[] = {
    {"implementations", implementations, METH_VARARGS,
     "implementations(node, performs, c_code)\n--\n\n"
     "The ways in which a node may run eagerly; `performs` and `c_code` as for `link`."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace

void init_implementation(PyObject* module) {
  implementation_class = add_class(module, spec);
  add_holder_class(implementation_class);
  check(PyModule_AddFunctions(module, functions));
}

}  // namespace thunkvm
