#include "python/bindings/thunks/c_block.h"

#include "linkers/user_code/crash_report.h"
#include "python/bindings/arrays/ndarray.h"
#include "python/bindings/graph/value.h"
#include "python/bindings/python/host.h"
#include "python/bindings/python/raised.h"

#include <exception>
#include <set>
#include <utility>

namespace thunkvm {
namespace {

/// Something of C failed: the exception that it has set. One that set none says so.
[[noreturn]] void fail_in_c(const std::string& op) {
  if (PyErr_Occurred() == nullptr)
    PyErr_Format(PyExc_RuntimeError, "the C code of %s failed without a Python exception.",
                 op.c_str());
  throw PythonError{};
}

class CThunk final : public BoundThunk {
 public:
  explicit CThunk(std::shared_ptr<const CBlock> block)
      : block_(std::move(block)), values_(block_->inputs.size() + block_->outputs.size()) {}
  ~CThunk() override {
    if (self_ == nullptr) return;
    const PendingAside aside;
    {
      const CrashReport report(block_->locations.data(), &at_);
      block_->destroy(self_);
    }
    if (PyErr_Occurred() != nullptr) PyErr_WriteUnraisable(block_->nodes[0].node->node.get());
  }

  Status run(Activation& activation, const Operands& operands) override {
    at_ = 0;
    failed_ = kNobody;
    error_ = nullptr;
    try {
      call(activation, operands);
      return Status::Done;
    } catch (...) {
      return fail(activation, operands);
    }
  }

  /// The end of another member's turn, which came within `run`.
  Status pass(Activation& activation, int member) {
    if (failed_ != member) return Status::Done;
    failed_ = kNobody;
    try {
      if (pending_) set_exception(std::move(pending_));
      std::rethrow_exception(std::exchange(error_, nullptr));
    } catch (...) {
      return fail_thunk(activation);
    }
  }

 private:
  static constexpr int kNobody = -1;

  void call(Activation& activation, const Operands& operands) {
    const CBlock& block = *block_;
    static_cast<PythonHost&>(*activation.host).heed_float_errors();
    if (self_ == nullptr) make();
    std::optional<InputGuard> inputs_stay = block.nodes[0].node->guard_inputs(activation, operands);
    const std::size_t n_inputs = block.inputs.size();
    for (std::size_t i = 0; i < n_inputs; ++i)
      values_[i] = input(activation, operands, block.inputs[i]).release();
    PyObject** const outputs = values_.data() + n_inputs;
    for (std::size_t j = 0; j < block.outputs.size(); ++j)
      outputs[j] = earlier(activation, activation.cells[block.outputs[j].reg]).release();
    const int failed = run_reported(outputs);
    const bool raised = failed != 0 || PyErr_Occurred() != nullptr;
    if (!raised && inputs_stay) inputs_stay->check();
    const auto last = raised ? static_cast<std::uint32_t>(at_) : UINT32_MAX;
    for (std::size_t j = 0; j < block.outputs.size() && block.outputs[j].member < last; ++j)
      store(activation, block.outputs[j], outputs[j]);
    if (raised) fail_in_c(block.nodes[static_cast<std::size_t>(at_)].node->op);
    drop();
  }

  void store(Activation& activation, const CBlock::Port& port, PyObject*& value) {
    const PythonNode& node = *block_->nodes[port.member].node;
    const bool raised = PyErr_Occurred() != nullptr;
    const PyRef owned = PyRef::adopt(std::exchange(value, nullptr));
    if (raised) {  // of a node further on: this one has done its part
      const PendingAside aside;
      activation.cells[port.reg] = converted(node, port, owned.get());
      return;
    }
    at_ = static_cast<int>(port.member);
    activation.cells[port.reg] = converted(node, port, owned.get());
  }
  static Cell converted(const PythonNode& node, const CBlock::Port& port, PyObject* value) {
    if (value == Py_None && node.outputs[port.slot]->tensor() != nullptr)
      throw Error(ErrorKind::Type, "the C code of " + node.op + " left output " +
                                       std::to_string(port.slot) + " NULL, where a " +
                                       node.outputs[port.slot]->text() + " has to be.");
    return node.output(port.slot, value);
  }

  /// The failure of the first node is the call's now; that of another one when its turn comes.
  Status fail(Activation& activation, const Operands& operands) {
    if (at_ != 0) {
      failed_ = at_;
      if (PyErr_Occurred() != nullptr) pending_ = take_exception();
      error_ = std::current_exception();
      drop();
      return Status::Done;
    }
    const Status failed = fail_thunk(activation);
    const PythonNode& node = *block_->nodes[0].node;
    for (const std::uint32_t i : node.destroyed)
      for (std::size_t k = 0; k < block_->inputs.size(); ++k)
        if (block_->inputs[k].slot == i && values_[k] != nullptr)
          node.give_back(activation, operands, i, values_[k]);
    drop();
    return failed;
  }

  /// Between calls no value is held.
  void drop() noexcept {
    for (PyObject*& value : values_) Py_CLEAR(value);
  }

  void make() {
    const CrashReport report(block_->locations.data(), &at_);
    self_ = block_->make(block_->given.data());
    if (self_ == nullptr) fail_in_c(block_->nodes[0].node->op);
  }
  int run_reported(PyObject** outputs) {
    const CrashReport report(block_->locations.data(), &at_);
    return block_->run(self_, values_.data(), outputs, &at_);
  }

  static bool is_number(const Cell& cell) {
    return cell.is_scalar() || (cell.is_array() && cell.body()->ndim == 0);
  }

  /// A tensor is always an ndarray to C, a 0-d one too.
  PyRef input(Activation& activation, const Operands& operands, const CBlock::Port& port) const {
    const Cell& cell = activation.cells[port.reg];
    if (is_number(cell)) return to_ndarray_0d(cell);
    if (port.member != 0) return to_python(cell);  // none of these is overwritten
    return block_->nodes[0].node->input(activation, operands, static_cast<int>(port.slot));
  }

  /// In a `_nogc` program the code may use the memory of its earlier output again; else None.
  static PyRef earlier(const Activation& activation, Cell& output) {
    if (!activation.retain_intermediates || output.empty() || !exclusive(output))
      return PyRef::borrow(Py_None);
    if (is_number(output)) return to_ndarray_0d(std::exchange(output, Cell()));
    return to_python(std::exchange(output, Cell()));
  }

  std::shared_ptr<const CBlock> block_;
  void* self_ = nullptr;
  std::vector<PyObject*> values_;  ///< inputs, then outputs, owned; null between calls
  volatile int at_ = 0;            ///< the node that runs
  int failed_ = kNobody;           ///< a node that is not the first
  PyRef pending_;                  ///< what it raised in Python
  std::exception_ptr error_;
};

/// Runs nothing: the first thunk did.
class CMember final : public BoundThunk {
 public:
  CMember(std::shared_ptr<const CBlock> block, std::uint32_t member)
      : block_(std::move(block)), member_(member) {}

  Status run(Activation& activation, const Operands& operands) override {
    auto* const first = static_cast<CThunk*>(activation.bound[operands.bound - member_]);
    return first->pass(activation, static_cast<int>(member_));
  }

 private:
  std::shared_ptr<const CBlock> block_;
  std::uint32_t member_;
};

}  // namespace

void CBlock::load(const std::shared_ptr<const NativeModule>& module, int number) {
  const auto named = [number](const char* name) { return name + std::to_string(number); };
  make = module->function<void*(PyObject* const*)>(named("thunkvm_new_").c_str());
  destroy = module->function<void(void*)>(named("thunkvm_delete_").c_str());
  run = module->function<int(void*, PyObject* const*, PyObject**, volatile int*)>(
      named("thunkvm_run_").c_str());
  // What C++ and users' code leave behind in the process may point into the module.
  static auto* loaded = new std::set<std::pair<std::shared_ptr<const NativeModule>, int>>;
  if (!loaded->emplace(module, number).second) return;
  volatile int first = 0;
  const CrashReport report(locations.data(), &first);
  if (module->function<int()>(named("thunkvm_load_").c_str())() != 0 ||
      PyErr_Occurred() != nullptr) {
    loaded->erase({module, number});
    if (PyErr_Occurred() != nullptr)
      add_note("raised when " + std::string(locations[0]) + " was loaded");
    fail_in_c(nodes[0].node->op);
  }
}

std::unique_ptr<BoundThunk> c_block_thunk(std::shared_ptr<const CBlock> block,
                                          std::uint32_t member) {
  if (member == 0) return std::make_unique<CThunk>(std::move(block));
  return std::make_unique<CMember>(std::move(block), member);
}

}  // namespace thunkvm
