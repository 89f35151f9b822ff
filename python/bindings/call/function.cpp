#include "python/bindings/call/function.h"

#include "python/bindings/arrays/ndarray.h"
#include "python/bindings/call/limits.h"
#include "python/bindings/call/mutable_arguments.h"
#include "python/bindings/graph/collection.h"
#include "python/bindings/graph/variable.h"
#include "python/bindings/python/host.h"
#include "python/bindings/python/raised.h"
#include "python/bindings/python/release.h"
#include "python/bindings/thunks/call_host.h"

#include <algorithm>
#include <array>

namespace thunkvm {
namespace {

// A copy of the array in a cell, without an (atomic) reference of our own for the time.
Array copy_of_array(const Cell& cell) {
  struct Loan {
    Array array;
    ~Loan() { array.detach(); }
  } loan{Array::adopt(cell.body())};
  return loan.array.copy();
}

// Values that are no tensors may be Python's objects, whose references are counted under the GIL.
bool has_opaque_values(const Linked& linked) {
  bool found = false;
  linked.each_variable(
      [&](const Variable& variable) { found = found || variable.type().tensor() == nullptr; });
  return found;
}

}  // namespace

// A frame for one call, which is the call's until this ends.
class PythonFunction::Lease {
 public:
  static constexpr bool kObserved = false;

  explicit Lease(PythonFunction& function) : function_(function), frame_(function.acquire()) {}
  ~Lease() { function_.release(frame_); }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;

  Frame& frame() { return *frame_; }
  // Where a call begins, where its parts end, and that it succeeded: nobody wants to know.
  void begin() {}
  void part(CallPart) {}
  void succeed() {}

 private:
  PythonFunction& function_;
  Frame* const frame_;
};

// The same for a call of which an observer is told, or which is recorded, or both.
class PythonFunction::ObservedLease {
 public:
  static constexpr bool kObserved = true;

  // A frame of `recording`, if it is not null; else one of the function.
  ObservedLease(PythonFunction& function, std::shared_ptr<Recording> recording)
      : function_(function),
        recording_(std::move(recording)),
        frame_(recording_ == nullptr ? function.acquire() : recording_->pool().acquire()) {}
  ~ObservedLease() {
    if (recording_ == nullptr) {
      function_.release(frame_);
      return;
    }
    if (begun_) frame_->recorder()->end_call(!succeeded_);
    recording_->pool().release(frame_);
  }
  ObservedLease(const ObservedLease&) = delete;
  ObservedLease& operator=(const ObservedLease&) = delete;

  Frame& frame() { return *frame_; }
  void begin() {
    if (recording_ == nullptr) return;
    begun_ = true;
    frame_->recorder()->begin_call(recording_->scripts());
  }
  void part(CallPart part) {
    if (recording_ != nullptr) frame_->recorder()->part(part);
  }
  void succeed() { succeeded_ = true; }

 private:
  PythonFunction& function_;
  const std::shared_ptr<Recording> recording_;
  Frame* const frame_;
  bool begun_ = false, succeeded_ = false;
};

PythonFunction::PythonFunction(FunctionGraph graph, const Mode& mode, FunctionOptions options,
                               PythonInterface interface)
    : core_(std::move(graph), mode, std::move(options)),
      bare_(interface.bare && interface.outputs.size() == 1),
      pack_(std::move(interface.pack)),
      signature_(std::move(interface.called), std::move(interface.parameters)),
      outputs_(std::move(interface.outputs)),
      name_(std::move(interface.name)),
      targets_(std::move(interface.targets)),
      mode_(std::move(interface.mode)) {}

PythonFunction::~PythonFunction() {
  PythonHost host;
  core_.compilation().stop(host);
  core_.recordings().stop_compiling(host);
}

void PythonFunction::compile() {
  interruptible([&](Host& host) { core_.compilation().compile(host); });
}

void PythonFunction::set_observer(Observer observer) {
  observer_.emplace(std::move(observer));
  note_observed();
}

std::shared_ptr<Recording> PythonFunction::record(const RecordOptions& options) {
  std::shared_ptr<Recording> recording =
      interruptible([&](Host& host) { return core_.record(options, host); });
  note_observed();
  return recording;
}

void PythonFunction::stop(const std::shared_ptr<Recording>& recording) {
  PythonHost host;
  core_.recordings().stop(recording, host);
  note_observed();
}

std::vector<std::pair<Variable, Variable>> PythonFunction::updates() const {
  std::vector<std::pair<Variable, Variable>> updates;
  for (std::size_t k = 0; k < targets_.size(); ++k)
    updates.emplace_back(targets_[k], core_.graph().updates[k].value);
  return updates;
}

FramePool& PythonFunction::pool() {
  if (last_ != nullptr) core_.frames().release(std::exchange(last_, nullptr));
  return core_.frames();
}

void PythonFunction::release(Frame* frame) {
  if (last_ == nullptr) {
    last_ = frame;
  } else {
    core_.frames().release(frame);
  }
}

inline void PythonFunction::store_arguments(Call& call, PyObject* const* arguments,
                                            std::size_t n_positional, PyObject* keywords) const {
  const std::vector<Parameter>& parameters = signature_.parameters();
  if (keywords == nullptr && n_positional == parameters.size()) [[likely]] {
    for (std::size_t i = 0; i < n_positional; ++i)
      parameters[i].store(arguments[i], call.argument(i));
    return;
  }
  bind_arguments(call, arguments, n_positional, keywords);
}

void PythonFunction::bind_arguments(Call& call, PyObject* const* arguments,
                                    std::size_t n_positional, PyObject* keywords) const {
  const std::vector<Parameter>& parameters = signature_.parameters();
  std::array<PyObject*, kInlineArguments> few;
  std::vector<PyObject*> many;
  PyObject** bound = few.data();
  if (parameters.size() > few.size()) {
    many.resize(parameters.size());
    bound = many.data();
  }
  signature_.bind(arguments, n_positional, keywords, bound);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (bound[i] == nullptr)
      call.argument(i) = parameters[i].default_value;
    else
      parameters[i].store(bound[i], call.argument(i));
  }
}

// Where no code of the user's runs, a shared variable's value need not be made read-only in each
// call.
bool PythonFunction::shows_values() const {
  return !nodes_.empty() || observer_ ||
         std::ranges::any_of(outputs_, [](const OutputSpec& output) { return output.borrow; });
}

inline void PythonFunction::run(Call& call, Observer* observer, bool sampled) const {
  FailureReport report(linked(), core_.name());
  CallHost host(report, call.frame(), runs_python_ || observer != nullptr);
  const Status status = observer == nullptr ? call.run(host, nullptr, &report)
                                            : run_observed(call, *observer, sampled, host, report);
  host.come_back();
  if (status == Status::Done) [[likely]]
    return;
  throw_failure(call, host, report);
}

Status PythonFunction::run_observed(Call& call, Observer& observer, bool sampled, PythonHost& host,
                                    FailureReport& report) {
  ObserverTracer tracer(observer, host, sampled);
  if (sampled) return call.run(host, &tracer, &report);
  const std::uint64_t begin = Clock::now();
  const Status status = call.run(host, observer.tells_of_new() ? &tracer : nullptr, &report);
  observer.add_skipped(Clock::now() - begin);
  return status;
}

void PythonFunction::throw_failure(Call& call, PythonHost& host, FailureReport& report) {
  const Failure failure = call.frame().take_failure();
  if (host.interruption()) {
    set_exception(std::move(host.interruption()));
  } else {
    report.raise(failure);
  }
  throw PythonError{};
}

inline PyRef PythonFunction::take_output(Call& call, std::size_t j) const {
  Cell& cell = call.output(j);
  if (cell.is_scalar()) return PyRef::adopt(numpy_scalar(cell.dtype(), cell.address()));
  if (cell.is_array() && cell.body()->ndim != 0 && !outputs_[j].borrow)
    return to_ndarray(call.takes(j) && is_own(cell) ? cell.take_array() : copy_of_array(cell));
  Cell value = call.take(j);
  if (outputs_[j].borrow) return to_python_lent(value);
  return to_python(make_own(std::move(value), *outputs_[j].type));
}

inline PyRef PythonFunction::take_outputs(Call& call) const {
  if (bare_) return take_output(call, 0);
  PyRef list = PyRef::take(PyList_New(static_cast<Py_ssize_t>(outputs_.size())));
  for (std::size_t j = 0; j < outputs_.size(); ++j)
    PyList_SET_ITEM(list.get(), static_cast<Py_ssize_t>(j), take_output(call, j).release());
  return list;
}

PyObject* PythonFunction::call(PyObject* const* arguments, std::size_t n_positional,
                               PyObject* keywords) {
  const CallingThread calling;
  drain_released();
  if (is_observed_) [[unlikely]]
    return call_observed(core_.recordings().latest(), arguments, n_positional, keywords);
  Lease lease(*this);
  Compilation& compilation = core_.compilation();
  if (compilation.waits()) [[unlikely]]
    interruptible([&](Host& host) { compilation.follow(&host); });
  return call_in(lease, compilation, arguments, n_positional, keywords);
}

PyObject* PythonFunction::call_recorded(std::shared_ptr<Recording> recording,
                                        PyObject* const* arguments, std::size_t n_positional,
                                        PyObject* keywords) {
  const CallingThread calling;
  drain_released();
  return call_observed(std::move(recording), arguments, n_positional, keywords);
}

PyObject* PythonFunction::call_observed(std::shared_ptr<Recording> recording,
                                        PyObject* const* arguments, std::size_t n_positional,
                                        PyObject* keywords) {
  ObservedLease lease(*this, recording);
  Compilation& compilation = recording == nullptr ? core_.compilation() : recording->compilation();
  if (recording != nullptr)
    recording->follow();
  else if (compilation.waits())
    interruptible([&](Host& host) { compilation.follow(&host); });
  return call_in(lease, compilation, arguments, n_positional, keywords);
}

template <class AnyLease>
inline PyObject* PythonFunction::call_in(AnyLease& lease, const Compilation& compilation,
                                         PyObject* const* arguments, std::size_t n_positional,
                                         PyObject* keywords) {
  Call call(core_, lease.frame());
  call.use(compilation);
  lease.begin();
  store_arguments(call, arguments, n_positional, keywords);
  if (call.reads_shared()) call.read_shared(shows_values());
  const Program& linked = *core_.linked().program;
  if (!linked.mutable_inputs.empty()) [[unlikely]]
    give_mutable_arguments(call, linked);
  Observer* observer = nullptr;
  bool sampled = false;
  PyRef started;
  if constexpr (AnyLease::kObserved) {
    if (observer_) {
      observer = &*observer_;
      sampled = observer->samples_call();
      if (sampled) started = observer->started(call.frame());
    }
  }
  lease.part(CallPart::Arguments);
  run(call, observer, sampled);
  lease.part(CallPart::Machine);
  PyRef result = take_outputs(call);
  if constexpr (AnyLease::kObserved) {
    if (sampled) observer->finished(result.get(), started);
  }
  if (!pack_ && !call.has_updates()) [[likely]] {
    call.finish();
    lease.succeed();
    lease.part(CallPart::Results);
    return result.release();
  }
  Updates updates = call.take_updates(make_own);
  call.finish();
  lease.succeed();
  if (pack_) result = PyRef::take(PyObject_CallOneArg(pack_.get(), result.get()));
  updates.commit();
  lease.part(CallPart::Results);
  return result.release();
}

void PythonFunction::hold(PythonNodes nodes) {
  runs_python_ = !nodes.empty() || has_opaque_values(core_.linked());
  if (!graphs_may_hold_objects) return;  // graphs of built-in Ops cost the collector nothing
  tells_ = true;
  nodes_ = std::move(nodes);
}

int PythonFunction::traverse(PyObject* holder, visitproc visit, void* arg) {
  Py_VISIT(pack_.get());
  Py_VISIT(mode_.get());
  if (observer_)
    if (const int stop = observer_->traverse(visit, arg); stop != 0) return stop;
  if (const int stop = visit_objects(nodes_, visit, arg); stop != 0) return stop;
  for (const Parameter& parameter : parameters())
    if (parameter.default_value.is_object()) Py_VISIT(object_of(parameter.default_value));
  if (!tells_) return 0;
  return visit_graph(holder, visit, arg, [&](GraphVisit& graph) {
    for (const Parameter& parameter : parameters()) graph.type(*parameter.type);
    for (const OutputSpec& output : outputs_) graph.type(*output.type);
    tell_types(nodes_, graph);
    const Linked& linked = core_.linked();
    for (const auto& [index, value] : linked.program->constants) graph.value(value);
    if (last_ != nullptr)  // what an idle frame keeps: constants, and intermediates of `_nogc`
      for (std::uint32_t r = 0; r < linked.program->n_registers; ++r) graph.value(last_->cell(r));
    for (const Ref<SharedValue>& value : linked.shared) graph.shared(*value);
    for (const Ref<SharedValue>& value : linked.targets) graph.shared(*value);
    for (const Variable& target : targets_) graph.node(target.node());
    const FunctionGraph& whole = core_.graph();
    for (const Variable& input : whole.inputs) graph.node(input.node());
    for (const Variable& output : whole.outputs) graph.node(output.node());
    for (const Update& update : whole.updates) {
      graph.shared(*update.target);
      graph.node(update.value.node());
    }
    linked.each_variable([&](const Variable& variable) { graph.node(variable.node()); });
  });
}

}  // namespace thunkvm
