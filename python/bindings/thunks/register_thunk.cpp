// register_thunk.cpp: the thunk of an Op's `make_thunk(node, input_computed, output_computed,
// input_registers, output_registers)`: the interface of the 2010 proposal, with a list of one
// element for each register.
#include "python/bindings/graph/value.h"
#include "python/bindings/python/host.h"
#include "python/bindings/python/raised.h"
#include "python/bindings/thunks/input_exceptions.h"
#include "python/bindings/thunks/python_thunk.h"

#include <optional>

namespace thunkvm {
namespace {

// Lists of one element that a user's thunk holds too, and one list of them all.
class Registers {
 public:
  Registers(std::size_t n, const char* name, PyObject* initial) : name_(name), initial_(initial) {
    all_ = PyRef::take(PyList_New(static_cast<Py_ssize_t>(n)));
    for (std::size_t i = 0; i < n; ++i) {
      PyRef cell = PyRef::take(PyList_New(1));
      PyList_SET_ITEM(cell.get(), 0, Py_NewRef(initial));
      PyList_SET_ITEM(all_.get(), static_cast<Py_ssize_t>(i), Py_NewRef(cell.get()));
      cells_.push_back(std::move(cell));
    }
  }

  PyObject* all() const { return all_.get(); }
  PyRef get(std::size_t i) const {
    if (PyList_GET_SIZE(cells_[i].get()) != 1)
      throw Error(ErrorKind::Type, std::string(name_) + "[" + std::to_string(i) +
                                       "] has to stay a list of one element, "
                                       "but the thunk made it one of " +
                                       std::to_string(PyList_GET_SIZE(cells_[i].get())));
    return PyRef::borrow(PyList_GET_ITEM(cells_[i].get(), 0));
  }
  PyRef get_or_null(std::size_t i) const noexcept {
    return PyRef::borrow(PyList_GET_SIZE(cells_[i].get()) == 1 ? PyList_GET_ITEM(cells_[i].get(), 0)
                                                               : nullptr);
  }
  void set(std::size_t i, PyObject* value) {
    const PyRef old = get(i);
    check(PyList_SetItem(cells_[i].get(), 0, Py_NewRef(value)));
  }
  bool truth(std::size_t i) const { return check(PyObject_IsTrue(get(i).get())) != 0; }

  void clear() noexcept {
    for (const PyRef& cell : cells_) {
      if (PyList_GET_SIZE(cell.get()) == 1 && PyList_GET_ITEM(cell.get(), 0) == initial_) continue;
      PyObject* fresh = PyList_New(1);
      if (fresh != nullptr) {
        PyList_SET_ITEM(fresh, 0, Py_NewRef(initial_));
        if (PyList_SetSlice(cell.get(), 0, PY_SSIZE_T_MAX, fresh) == 0)
          fresh = (Py_DECREF(fresh), nullptr);
      }
      if (PyErr_Occurred()) PyErr_Clear();
      Py_XDECREF(fresh);
    }
  }

 private:
  const char* name_;
  PyObject* initial_;  ///< None, or the int 0: neither ever goes away
  PyRef all_;
  std::vector<PyRef> cells_;
};

PyObject* zero() {
  static PyObject* number = PyLong_FromLong(0);
  return number;
}
PyObject* one() {
  static PyObject* number = PyLong_FromLong(1);
  return number;
}

class RegisterThunk final : public BoundThunk, public FailureHandler {
 public:
  RegisterThunk(std::shared_ptr<const PythonNode> node, PyObject* make_thunk)
      : node_(std::move(node)),
        input_computed_(node_->inputs.size(), "input_computed", zero()),
        output_computed_(node_->outputs.size(), "output_computed", zero()),
        input_registers_(node_->inputs.size(), "input_registers", Py_None),
        output_registers_(node_->outputs.size(), "output_registers", Py_None),
        delivered_(node_->inputs.size()) {
    PyObject* arguments[6] = {nullptr,
                              node_->node.get(),
                              input_computed_.all(),
                              output_computed_.all(),
                              input_registers_.all(),
                              output_registers_.all()};
    PyRef thunk = PyRef::take(PyObject_Vectorcall(make_thunk, arguments + 1,
                                                  5 | PY_VECTORCALL_ARGUMENTS_OFFSET, nullptr));
    if (!PyCallable_Check(thunk.get()))
      throw Error(ErrorKind::Type, "make_thunk of " + node_->op +
                                       " has to return a thunk (a callable without arguments, "
                                       "with an attribute `lazy`), but it returned a " +
                                       class_name(thunk.get()) + ".");
    PyRef lazy = attribute_or_null(thunk.get(), "lazy");
    lazy_ = lazy && check(PyObject_IsTrue(lazy.get())) != 0;
    thunk_.emplace(node_, std::move(thunk));
  }

  bool lazy() const { return lazy_; }

  Status run(Activation& activation, const Operands& operands) override {
    Status status = Status::Done;
    try {
      static_cast<PythonHost&>(*activation.host).heed_float_errors();
      for (std::size_t i = 0; i < operands.n_inputs; ++i) {
        input_registers_.set(i, node_->input(activation, operands, static_cast<int>(i)).get());
        input_computed_.set(i, one());
      }
      if (activation.retain_intermediates) offer_earlier(activation, operands);
      PyRef returned = PyRef::take(PyObject_CallNoArgs(thunk_->get()));
      if (returned.get() != Py_None)
        throw Error(ErrorKind::Type, "the thunk of " + node_->op +
                                         " is eager (lazy is False), so it gets all its inputs "
                                         "and has to return None, but it returned a " +
                                         class_name(returned.get()) +
                                         "; a thunk that asks for inputs has to say lazy = True.");
      for (std::size_t j = 0; j < operands.n_outputs; ++j) {
        if (!output_computed_.truth(j))
          throw Error(ErrorKind::Runtime,
                      "the thunk of " + node_->op + " finished without output " +
                          std::to_string(j) + ": it has to store it in output_registers[" +
                          std::to_string(j) + "][0] and to set output_computed[" +
                          std::to_string(j) + "][0] = 1.");
        activation.output(operands, static_cast<int>(j)) = take_output(j);
      }
    } catch (...) {
      status = fail_thunk(activation);
      for (const std::uint32_t i : node_->destroyed)
        if (const PyRef value = input_registers_.get_or_null(i))
          node_->give_back(activation, operands, i, value.get());
    }
    reset();
    return status;
  }

  Status enter(LazyCall& call) override {
    return advance(call, [&] { return PyRef::take(PyObject_CallNoArgs(thunk_->get())); });
  }

  Status raised(LazyCall& call, int input, const Failure& failure) override {
    PyRef handler;
    try {
      handler = attribute_or_null(thunk_->get(), "raised");
    } catch (...) {
      return fail_thunk(call.activation());
    }
    if (!handler) {
      call.activation().failure = failure;
      return Status::Failed;
    }
    return advance(call, [&] {
      return PyRef::take(PyObject_CallFunction(handler.get(), "iO", input,
                                               exceptions_.of(call, input, failure).get()));
    });
  }

  void reset() noexcept override {
    const PendingAside aside;
    input_computed_.clear();
    output_computed_.clear();
    input_registers_.clear();
    output_registers_.clear();
    delivered_.assign(delivered_.size(), false);
    exceptions_.clear();
    entered_ = false;
  }

 private:
  // `run` is the thunk, or what it does about an input that failed: returns what is requested.
  template <class Run>
  Status advance(LazyCall& call, Run&& run) {
    try {
      static_cast<PythonHost&>(*call.activation().host).heed_float_errors();
      if (call.activation().retain_intermediates && !entered_)
        offer_earlier(call.activation(), call.operands());
      entered_ = true;
      for (int i = 0; i < call.n_inputs(); ++i) {
        const std::size_t at = static_cast<std::size_t>(i);
        if (!call.available(i) || delivered_[at]) continue;
        delivered_[at] = true;
        input_registers_.set(at, node_->input(call.activation(), call.operands(), i).get());
        input_computed_.set(at, one());
      }
      PyRef returned = run();
      if (returned.get() != Py_None) request(call, returned.get());
      bool all = true;
      for (int j = 0; j < call.n_outputs(); ++j) {
        if (!call.computed(j) && output_computed_.truth(static_cast<std::size_t>(j)))
          call.set_output(j, take_output(static_cast<std::size_t>(j)));
        all = all && call.computed(j);
      }
      // Nobody enters it again in this call: its lists hold nothing that the machine lets go.
      if (all) reset();
      return Status::Done;
    } catch (...) {
      return exceptions_.fail(call);
    }
  }

  // In a `_nogc` program the thunk may use the memory of its earlier outputs again.
  void offer_earlier(Activation& activation, const Operands& operands) {
    for (int j = 0; j < operands.n_outputs; ++j) {
      Cell& output = activation.output(operands, j);
      if (!output.empty() && exclusive(output))
        output_registers_.set(static_cast<std::size_t>(j),
                              to_python(std::exchange(output, Cell())).get());
    }
  }

  void request(LazyCall& call, PyObject* returned) {
    if (!PyList_Check(returned) && !PyTuple_Check(returned))
      throw Error(ErrorKind::Type, "the lazy thunk of " + node_->op +
                                       " has to return a list of the indices of inputs "
                                       "that it needs, or None, but it returned a " +
                                       class_name(returned) + ".");
    const std::string asks = "the lazy thunk of " + node_->op + " asked for";
    for (PyObject* index : Items(returned, "a sequence is expected"))
      call.request(asked_input(index, asks));
  }

  Cell take_output(std::size_t j) {
    const PyRef value = output_registers_.get(j);
    if (value.get() == Py_None && node_->outputs[j]->tensor() != nullptr)
      throw Error(ErrorKind::Type,
                  "the thunk of " + node_->op + " set output_computed[" + std::to_string(j) +
                      "][0], but left None in output_registers[" + std::to_string(j) +
                      "][0], where a " + node_->outputs[j]->text() + " has to be.");
    return node_->output(j, value.get());
  }

  std::shared_ptr<const PythonNode> node_;
  Registers input_computed_, output_computed_, input_registers_, output_registers_;
  std::optional<Held> thunk_;
  bool lazy_ = false;
  bool entered_ = false;
  /// Inputs that this call handed over; the lists that say so too are the thunk's to write.
  std::vector<bool> delivered_;
  InputExceptions exceptions_;
};

}  // namespace

ThunkCode register_thunk(std::shared_ptr<const PythonNode> node, PyRef make_thunk) {
  auto first = std::make_unique<RegisterThunk>(node, make_thunk.get());
  ThunkCode code;
  code.lazy = first->lazy();
  code.form = code.lazy ? ThunkForm::Lazy : ThunkForm::Thunk;
  // The thunk that showed whether it is lazy serves the first frame.
  auto waiting = std::make_shared<std::unique_ptr<RegisterThunk>>(std::move(first));
  code.make = [node, make = std::make_shared<const Held>(node, std::move(make_thunk)),
               lazy = code.lazy, waiting]() -> std::unique_ptr<BoundThunk> {
    if (*waiting != nullptr) return std::move(*waiting);
    auto thunk = std::make_unique<RegisterThunk>(node, make->get());
    if (thunk->lazy() != lazy)
      throw Error(ErrorKind::Type,
                  std::string("make_thunk of ") + node->op + " returned " +
                      (lazy ? "a lazy thunk first and an eager one"
                            : "an eager thunk first and a lazy one") +
                      " for a later frame; `lazy` has to be the same for all thunks of a node.");
    return thunk;
  };
  return code;
}

}  // namespace thunkvm
