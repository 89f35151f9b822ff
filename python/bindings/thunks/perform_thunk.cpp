// perform_thunk.cpp: the thunk of an Op's `perform(node, inputs, output_storage)`.
//
// The lists that `perform` gets belong to the frame and are used again, since making them would
// cost more than all the rest: a list that the Op kept a reference to is its own from then on, and
// a new one is made.
#include "python/bindings/graph/value.h"
#include "python/bindings/python/host.h"
#include "python/bindings/python/raised.h"
#include "python/bindings/thunks/python_thunk.h"

#include <optional>

namespace thunkvm {
namespace {

struct PerformCode {
  PerformCode(std::shared_ptr<const PythonNode> of, PyRef call, bool is_built_in)
      : node(of), function(std::move(of), std::move(call)), built_in(is_built_in) {}

  std::shared_ptr<const PythonNode> node;
  Held function;             ///< what `perform` calls
  std::optional<Held> self;  ///< its first argument where `perform` is a method
  bool built_in;
};

// A list of `n` Nones.
PyRef list_of_none(std::size_t n) {
  PyRef list = PyRef::take(PyList_New(static_cast<Py_ssize_t>(n)));
  for (std::size_t i = 0; i < n; ++i)
    PyList_SET_ITEM(list.get(), static_cast<Py_ssize_t>(i), Py_NewRef(Py_None));
  return list;
}

void set_item(PyObject* list, std::size_t i, PyObject* owned) {
  PyObject* old = PyList_GET_ITEM(list, static_cast<Py_ssize_t>(i));
  PyList_SET_ITEM(list, static_cast<Py_ssize_t>(i), owned);
  Py_DECREF(old);
}

class PerformThunk final : public BoundThunk {
 public:
  explicit PerformThunk(std::shared_ptr<const PerformCode> code)
      : code_(std::move(code)), slots_(code_->node->outputs.size()) {}

  Status run(Activation& activation, const Operands& operands) override {
    try {
      call(activation, operands);
      return Status::Done;
    } catch (...) {
      const Status failed = fail_thunk(activation);
      give_back(activation, operands);
      // The lists hold values of the failed call.
      inputs_ = storage_ = {};
      slots_.assign(slots_.size(), {});
      return failed;
    }
  }

 private:
  void call(Activation& activation, const Operands& operands) {
    PythonHost& host = static_cast<PythonHost&>(*activation.host);
    if (code_->built_in) {
      host.ignore_float_errors();
    } else {
      host.heed_float_errors();
    }
    std::optional<InputGuard> inputs_stay = code_->node->guard_inputs(activation, operands);
    prepare_inputs(activation, operands);
    prepare_storage(activation, operands);

    PyObject* arguments[5] = {nullptr, code_->self ? code_->self->get() : nullptr,
                              code_->node->node.get(), inputs_.get(), storage_.get()};
    const std::size_t first = code_->self ? 1 : 2;
    PyRef returned =
        PyRef::take(PyObject_Vectorcall(code_->function.get(), arguments + first,
                                        (5 - first) | PY_VECTORCALL_ARGUMENTS_OFFSET, nullptr));
    if (inputs_stay) inputs_stay->check();

    if (Py_REFCNT(inputs_.get()) == 1 && has_size(inputs_, operands.n_inputs)) {
      for (std::size_t i = 0; i < operands.n_inputs; ++i)
        set_item(inputs_.get(), i, Py_NewRef(Py_None));
    } else {
      inputs_ = {};
    }
    for (std::size_t j = 0; j < slots_.size(); ++j)
      activation.output(operands, static_cast<int>(j)) = take_output(j, returned.get());
  }

  static bool has_size(const PyRef& list, std::size_t n) {
    return PyList_GET_SIZE(list.get()) == static_cast<Py_ssize_t>(n);
  }

  void prepare_inputs(Activation& activation, const Operands& operands) {
    const std::size_t n = operands.n_inputs;
    if (!inputs_ || Py_REFCNT(inputs_.get()) != 1 || !has_size(inputs_, n))
      inputs_ = list_of_none(n);
    for (std::size_t i = 0; i < n; ++i)
      set_item(inputs_.get(), i,
               code_->node->input(activation, operands, static_cast<int>(i)).release());
  }

  void give_back(Activation& activation, const Operands& operands) noexcept {
    for (const std::uint32_t i : code_->node->destroyed) {
      // Whoever holds the list may change it while a value is looked at.
      if (!inputs_ || !has_size(inputs_, operands.n_inputs)) return;
      const PyRef value = PyRef::borrow(PyList_GET_ITEM(inputs_.get(), static_cast<Py_ssize_t>(i)));
      code_->node->give_back(activation, operands, i, value.get());
    }
  }

  void prepare_storage(Activation& activation, const Operands& operands) {
    const std::size_t n = slots_.size();
    if (!storage_ || Py_REFCNT(storage_.get()) != 1 || !has_size(storage_, n))
      storage_ = list_of_none(n);
    for (std::size_t j = 0; j < n; ++j) {
      PyObject* slot = slots_[j].get();
      // Two references: ours and the outer list's.
      if (slot == nullptr || Py_REFCNT(slot) != 2 ||
          PyList_GET_ITEM(storage_.get(), static_cast<Py_ssize_t>(j)) != slot ||
          !has_size(slots_[j], 1)) {
        slots_[j] = list_of_none(1);
        set_item(storage_.get(), j, Py_NewRef(slots_[j].get()));
      }
      if (activation.retain_intermediates)
        offer_earlier(activation.output(operands, static_cast<int>(j)), slots_[j].get());
    }
  }

  // In a `_nogc` program the Op may use the memory of its earlier output again.
  static void offer_earlier(Cell& output, PyObject* slot) {
    if (output.empty() || !exclusive(output)) return;
    set_item(slot, 0, to_python(std::exchange(output, Cell())).release());
  }

  Cell take_output(std::size_t j, PyObject* returned) {
    const PythonNode& node = *code_->node;
    if (!has_size(slots_[j], 1))
      throw Error(ErrorKind::Type,
                  "perform of " + node.op + " changed the length of output_storage[" +
                      std::to_string(j) + "] to " +
                      std::to_string(PyList_GET_SIZE(slots_[j].get())) +
                      "; it has to assign to output_storage[" + std::to_string(j) + "][0].");
    PyRef value = PyRef::borrow(PyList_GET_ITEM(slots_[j].get(), 0));
    // An Op that kept the list may read it later; one that did not leaves it to us, empty.
    set_item(slots_[j].get(), 0, Py_NewRef(Py_None));
    if (value.get() == Py_None && node.outputs[j]->tensor() != nullptr)
      throw Error(ErrorKind::Type,
                  "perform of " + node.op + " left None in output_storage[" + std::to_string(j) +
                      "]: it has to store its " + node.outputs[j]->text() + " in output_storage[" +
                      std::to_string(j) + "][0]" +
                      (returned == Py_None ? "." : ", and what it returns is not looked at."));
    return node.output(j, value.get());
  }

  std::shared_ptr<const PerformCode> code_;
  PyRef inputs_;
  PyRef storage_;
  std::vector<PyRef> slots_;
};

}  // namespace

ThunkCode perform_thunk(std::shared_ptr<const PythonNode> node, PyRef perform, bool built_in) {
  // A method is called as the function that it is, which saves a step in each call.
  const bool is_method = PyMethod_Check(perform.get());
  PyRef function = is_method ? PyRef::borrow(PyMethod_GET_FUNCTION(perform.get())) : perform;
  auto code = std::make_shared<PerformCode>(node, std::move(function), built_in);
  if (is_method) code->self.emplace(node, PyRef::borrow(PyMethod_GET_SELF(perform.get())));
  ThunkCode result;
  result.make = [code = std::shared_ptr<const PerformCode>(code)] {
    return std::make_unique<PerformThunk>(code);
  };
  result.form = ThunkForm::Perform;
  return result;
}

}  // namespace thunkvm
