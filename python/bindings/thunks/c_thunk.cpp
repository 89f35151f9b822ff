#include "python/bindings/thunks/c_thunk.h"

#include "python/bindings/compiling/compiling.h"
#include "python/bindings/graph/apply.h"
#include "python/bindings/graph/python_op.h"
#include "python/bindings/python/collection.h"
#include "python/bindings/python/host.h"
#include "python/bindings/python/raised.h"
#include "python/bindings/thunks/crash_report.h"
#include "python/bindings/thunks/input_guard.h"
#include "python/bindings/values/ndarray.h"
#include "python/bindings/values/value.h"

#include <set>
#include <vector>

namespace thunkvm {
namespace {

/// Something of C failed: the exception that it has set. One that set none says so.
[[noreturn]] void fail_in_c(const std::string& op) {
  if (PyErr_Occurred() == nullptr)
    PyErr_Format(PyExc_RuntimeError, "the C code of %s failed without a Python exception.",
                 op.c_str());
  throw PythonError{};
}

// What a crash is reported in.
std::string place_of(const Apply& apply) {
  const Variable output = const_cast<Apply&>(apply).output(0);
  const std::string origin = apply.origin_text();
  return "the C code of " + apply.op()->name() + " (node " + output.text() +
         (origin.empty() ? "" : ", made at " + origin) + ")";
}

struct CCode {
  CCode(const Apply& apply, std::shared_ptr<const PythonNode> of, ModulePtr module, PyRef given)
      : node(of),
        place(place_of(apply)),
        params(std::move(of), std::move(given)),
        make(module->function<void*(PyObject*)>("thunkvm_new")),
        destroy(module->function<void(void*)>("thunkvm_delete")),
        run(module->function<int(void*, PyObject* const*, PyObject**)>("thunkvm_run")) {
    // What C++ and users' code leave behind in the process may point into the module.
    static auto* loaded = new std::set<ModulePtr>;
    if (!loaded->insert(module).second) return;
    const CrashReport report(place.c_str());
    if (module->function<int()>("thunkvm_load")() != 0) {
      loaded->erase(module);
      fail_in_c(node->op);
    }
  }

  std::shared_ptr<const PythonNode> node;
  const std::string place;
  Held params;
  void* (*make)(PyObject* params);
  void (*destroy)(void* self);
  int (*run)(void* self, PyObject* const* inputs, PyObject** outputs);
};

class CThunk final : public BoundThunk {
 public:
  explicit CThunk(std::shared_ptr<const CCode> code)
      : code_(std::move(code)), outputs_(code_->node->outputs.size()) {}
  ~CThunk() override {
    if (self_ == nullptr) return;
    const PendingAside aside;
    {
      const CrashReport report(code_->place.c_str());
      code_->destroy(self_);
    }
    if (PyErr_Occurred() != nullptr) PyErr_WriteUnraisable(code_->node->node.get());
  }

  Status run(Activation& activation, const Operands& operands) override {
    try {
      call(activation, operands);
      return Status::Done;
    } catch (...) {
      const Status failed = fail_thunk(activation);
      for (const std::uint32_t i : code_->node->destroyed)
        if (i < inputs_.size() && inputs_[i])
          code_->node->give_back(activation, operands, i, inputs_[i].get());
      inputs_.clear();
      outputs_.assign(outputs_.size(), {});
      return failed;
    }
  }

 private:
  void call(Activation& activation, const Operands& operands) {
    const PythonNode& node = *code_->node;
    static_cast<PythonHost&>(*activation.host).heed_float_errors();
    if (self_ == nullptr) make();
    const InputGuard inputs_stay(node, activation, operands);
    inputs_.resize(operands.n_inputs);
    addresses_.resize(operands.n_inputs + outputs_.size());
    for (int i = 0; i < operands.n_inputs; ++i) {
      inputs_[static_cast<std::size_t>(i)] = input(activation, operands, i);
      addresses_[static_cast<std::size_t>(i)] = inputs_[static_cast<std::size_t>(i)].get();
    }
    PyObject** const outputs = addresses_.data() + operands.n_inputs;
    for (std::size_t j = 0; j < outputs_.size(); ++j)
      outputs[j] = earlier(activation, activation.output(operands, static_cast<int>(j))).release();
    const int failed = run_reported(outputs);
    for (std::size_t j = 0; j < outputs_.size(); ++j) outputs_[j] = PyRef::adopt(outputs[j]);
    if (failed != 0 || PyErr_Occurred() != nullptr) fail_in_c(node.op);
    inputs_stay.check();
    for (PyRef& value : inputs_) value = {};
    for (std::size_t j = 0; j < outputs_.size(); ++j) {
      const PyRef value = std::move(outputs_[j]);
      if (value.get() == Py_None && node.outputs[j]->tensor() != nullptr)
        throw Error(ErrorKind::Type, "the C code of " + node.op + " left output " +
                                         std::to_string(j) + " NULL, where a " +
                                         node.outputs[j]->text() + " has to be.");
      activation.output(operands, static_cast<int>(j)) = node.output(j, value.get());
    }
  }

  void make() {
    const CrashReport report(code_->place.c_str());
    self_ = code_->make(code_->params.get());
    if (self_ == nullptr) fail_in_c(code_->node->op);
  }
  int run_reported(PyObject** outputs) {
    const CrashReport report(code_->place.c_str());
    return code_->run(self_, addresses_.data(), outputs);
  }

  /// A tensor is always an ndarray to C, a 0-d one too.
  PyRef input(Activation& activation, const Operands& operands, int i) const {
    const Cell& cell = activation.input(operands, i);
    if (cell.is_scalar()) return to_ndarray_0d(cell);
    return code_->node->input(activation, operands, i);
  }

  /// In a `_nogc` program the code may use the memory of its earlier output again; else None.
  static PyRef earlier(const Activation& activation, Cell& output) {
    if (!activation.keep || output.empty() || !exclusive(output)) return PyRef::borrow(Py_None);
    if (output.is_scalar()) return to_ndarray_0d(std::exchange(output, Cell()));
    return to_python(std::exchange(output, Cell()));
  }

  std::shared_ptr<const CCode> code_;
  void* self_ = nullptr;
  std::vector<PyRef> inputs_, outputs_;  ///< empty between calls
  std::vector<PyObject*> addresses_;
};

ThunkCode c_thunk(const Apply& apply, std::shared_ptr<const PythonNode> node, PyObject* module,
                  PyObject* params) {
  auto code =
      std::make_shared<const CCode>(apply, node, native_module(module), PyRef::borrow(params));
  ThunkCode result;
  result.make = [code] { return std::make_unique<CThunk>(code); };
  result.form = "c";
  return result;
}

}  // namespace

CNodes::CNodes(std::span<const Variable> roots, PyObject* compile) {
  if (compile == Py_None || !graphs_may_hold_objects) return;
  std::vector<Apply*> nodes;
  for (Apply* node : topological_order(roots)) {
    const PythonOp* op = node->leaf() == Leaf::None ? python_op(node->op()) : nullptr;
    if (op != nullptr && op->own_method("c_code")) nodes.push_back(node);
  }
  if (nodes.empty()) return;
  PyRef handles = PyRef::take(PyList_New(static_cast<Py_ssize_t>(nodes.size())));
  for (std::size_t i = 0; i < nodes.size(); ++i)
    PyList_SET_ITEM(handles.get(), static_cast<Py_ssize_t>(i), wrap_node(nodes[i]));
  PyRef found = PyRef::take(PyObject_CallOneArg(compile, handles.get()));
  auto compiled = std::make_shared<std::unordered_map<const Apply*, PyRef>>();
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    PyObject* entry = PyList_GetItem(found.get(), static_cast<Py_ssize_t>(i));
    if (entry == nullptr) throw PythonError{};
    if (entry != Py_None) compiled->emplace(nodes[i], PyRef::borrow(entry));
  }
  compiled_ = std::move(compiled);
}

ThunkSource CNodes::source(std::shared_ptr<PythonNodes> nodes) const {
  return [nodes, compiled = compiled_](const Apply& apply) -> ThunkCode {
    if (compiled == nullptr) return {};
    const auto found = compiled->find(&apply);
    if (found == compiled->end()) return {};
    PyObject *module, *params, *note;
    if (!PyArg_ParseTuple(found->second.get(), "OOO", &module, &params, &note)) throw PythonError{};
    const auto node = std::make_shared<const PythonNode>(
        apply, PyRef::take(wrap_node(const_cast<Apply*>(&apply))));
    nodes->push_back(node);
    return c_thunk(apply, node, module, params);
  };
}

}  // namespace thunkvm
