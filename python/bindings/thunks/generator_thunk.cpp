// generator_thunk.cpp: lazy thunks written as a generator: `value = yield i` demands input i.
#include "python/bindings/graph/value.h"
#include "python/bindings/python/host.h"
#include "python/bindings/python/list_of.h"
#include "python/bindings/python/raised.h"
#include "python/bindings/thunks/input_exceptions.h"
#include "python/bindings/thunks/python_thunk.h"

namespace thunkvm {
namespace {

class GeneratorThunk final : public BoundThunk, public FailureHandler {
 public:
  GeneratorThunk(std::shared_ptr<const PythonNode> node, std::shared_ptr<const Held> demand)
      : node_(std::move(node)), demand_(std::move(demand)) {}
  ~GeneratorThunk() override { reset(); }

  Status enter(LazyCall& call) override {
    return resume(call, [&](PyObject** result) {
      if (!generator_) start();
      return PyIter_Send(generator_.get(), answer(call).get(), result);
    });
  }

  Status raised(LazyCall& call, int input, const Failure& failure) override {
    return resume(call, [&](PyObject** result) {
      return send_exception(exceptions_.of(call, input, failure).get(), result);
    });
  }

  void reset() noexcept override {
    requested_.clear();
    exceptions_.clear();
    if (!generator_) return;
    const PendingAside aside;
    PyRef generator = std::move(generator_);
    PyObject* closed = PyObject_CallMethod(generator.get(), "close", nullptr);
    if (closed == nullptr) PyErr_WriteUnraisable(generator.get());
    Py_XDECREF(closed);
  }

 private:
  // `send` runs the generator to its next `yield`, or to its end.
  template <class Send>
  Status resume(LazyCall& call, Send&& send) {
    try {
      static_cast<PythonHost&>(*call.activation().host).heed_float_errors();
      PyObject* result = nullptr;
      switch (send(&result)) {
        case PYGEN_NEXT: request(call, PyRef::adopt(result).get()); break;
        case PYGEN_RETURN: set_outputs(call, PyRef::adopt(result).get()); break;
        case PYGEN_ERROR: throw PythonError{};
      }
      return Status::Done;
    } catch (...) {
      return exceptions_.fail(call);
    }
  }

  // As PyIter_Send; the `yield` raises.
  PySendResult send_exception(PyObject* exception, PyObject** result) {
    *result = PyObject_CallMethod(generator_.get(), "throw", "O", exception);
    if (*result != nullptr) return PYGEN_NEXT;
    if (PyErr_ExceptionMatches(PyExc_StopIteration) == 0) return PYGEN_ERROR;
    PyRef stop = take_exception();
    *result = attribute(stop.get(), "value").release();
    return PYGEN_RETURN;
  }

  void start() {
    PyRef made = PyRef::take(PyObject_CallOneArg(demand_->get(), node_->node.get()));
    if (!PyGen_Check(made.get()))
      throw Error(ErrorKind::Type, "demand of " + node_->op +
                                       " has to be a generator (`value = yield i` asks for input "
                                       "i), but it returned a " +
                                       class_name(made.get()) + ".");
    generator_ = std::move(made);
  }

  // The value of `yield`: nothing at first, then the value requested, or a list of them.
  PyRef answer(const LazyCall& call) const {
    if (requested_.empty()) return PyRef::borrow(Py_None);
    if (!requested_list_) return input(call, requested_[0]);
    return list_of(requested_, [&](std::int64_t i) { return input(call, i); });
  }

  PyRef input(const LazyCall& call, std::int64_t i) const {
    return node_->input(call.activation(), call.operands(), static_cast<int>(i));
  }

  void request(LazyCall& call, PyObject* yielded) {
    requested_.clear();
    requested_list_ = PyList_Check(yielded) || PyTuple_Check(yielded);
    if (requested_list_) {
      for (PyObject* index : Items(yielded, "a sequence is expected")) request_one(call, index);
    } else {
      request_one(call, yielded);
    }
  }

  void request_one(LazyCall& call, PyObject* index) {
    const std::int64_t i = asked_input(index, "demand of " + node_->op + " yielded");
    requested_.push_back(i);
    call.request(i);
  }

  void set_outputs(LazyCall& call, PyObject* result) {
    requested_.clear();
    const std::size_t n = node_->outputs.size();
    if (n != 1 &&
        (!PyTuple_Check(result) || PyTuple_GET_SIZE(result) != static_cast<Py_ssize_t>(n)))
      throw Error(ErrorKind::Type,
                  "demand of " + node_->op + " has to return a tuple of its " + std::to_string(n) +
                      " outputs, but it returned " +
                      (PyTuple_Check(result) ? "one of " + std::to_string(PyTuple_GET_SIZE(result))
                                             : "a " + class_name(result)) +
                      ".");
    for (std::size_t j = 0; j < n; ++j) {
      PyObject* value = n == 1 ? result : PyTuple_GET_ITEM(result, static_cast<Py_ssize_t>(j));
      if (value == Py_None && node_->outputs[j]->tensor() != nullptr)
        throw Error(ErrorKind::Type, "demand of " + node_->op + " finished without output " +
                                         std::to_string(j) + ": it returned None, where a " +
                                         node_->outputs[j]->text() + " has to be.");
      call.set_output(static_cast<int>(j), node_->output(j, value));
    }
  }

  std::shared_ptr<const PythonNode> node_;
  std::shared_ptr<const Held> demand_;
  PyRef generator_;                      ///< of this call, once it was entered
  std::vector<std::int64_t> requested_;  ///< what its last `yield` requested
  bool requested_list_ = false;
  InputExceptions exceptions_;
};

}  // namespace

ThunkCode generator_thunk(std::shared_ptr<const PythonNode> node, PyRef demand) {
  ThunkCode code;
  code.lazy = true;
  code.form = ThunkForm::Lazy;
  code.make = [node, demand = std::make_shared<const Held>(node, std::move(demand))] {
    return std::make_unique<GeneratorThunk>(node, demand);
  };
  return code;
}

}  // namespace thunkvm
