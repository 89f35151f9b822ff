// function_call.cpp: one call of a function, from Python's arguments to Python's results.
#include "python/bindings/call/failure_report.h"
#include "python/bindings/call/function.h"
#include "python/bindings/python/host.h"
#include "python/bindings/python/raised.h"
#include "python/bindings/python/release.h"
#include "python/bindings/values/misfit.h"
#include "python/bindings/values/ndarray.h"

#include <algorithm>
#include <array>

namespace thunkvm {
namespace {

constexpr std::size_t kInlineArguments = 16;

// Which registers in `order`, outputs and then updates, are named for the last time, and hold no
// constant.
std::vector<std::uint8_t> last_uses(const Program& program,
                                    const std::vector<std::uint32_t>& order) {
  std::vector<std::uint8_t> seen(program.n_registers), takes(order.size());
  for (const auto& [index, value] : program.constants) seen[index] = 1;
  for (std::size_t k = order.size(); k-- > 0;) {
    takes[k] = seen[order[k]] == 0;
    seen[order[k]] = 1;
  }
  return takes;
}

// A copy of the array in a cell, without an (atomic) reference of our own for the time.
Array copy_of_array(const Cell& cell) {
  struct Loan {
    Array array;
    ~Loan() { array.detach(); }
  } loan{Array::adopt(cell.body())};
  return loan.array.copy();
}

Cell take_or_share(Cell& cell, bool take) { return take ? std::move(cell) : Cell(cell); }

}  // namespace

// A frame for one call. It goes back without a value in a register, however the call ends.
class CompiledFunction::Lease {
 public:
  static constexpr bool kWatched = false;

  explicit Lease(CompiledFunction& function) : function_(function), frame_(function.acquire()) {}
  ~Lease() {
    if (!finished_) frame_->abandon();
    function_.release(frame_);
  }
  Lease(const Lease&) = delete;
  Lease& operator=(const Lease&) = delete;

  Frame& frame() { return *frame_; }
  void finish() {
    frame_->finish();
    finished_ = true;
  }
  // Where a call begins, and where its parts end: nobody wants to know.
  void begin() {}
  void part(CallPart) {}

 private:
  CompiledFunction& function_;
  Frame* const frame_;
  bool finished_ = false;
};

// The same for a call of which an observer is told, or which is recorded, or both.
class CompiledFunction::WatchedLease {
 public:
  static constexpr bool kWatched = true;

  // Of `recording`, if it is not null.
  WatchedLease(CompiledFunction& function, std::shared_ptr<Recording> recording)
      : function_(function),
        recording_(std::move(recording)),
        frame_(recording_ == nullptr ? function.acquire() : recording_->pool().acquire()) {}
  ~WatchedLease() {
    if (!finished_) frame_->abandon();
    if (recording_ == nullptr) {
      function_.release(frame_);
      return;
    }
    if (begun_) frame_->recorder()->end_call(!finished_);
    recording_->pool().release(frame_);
  }
  WatchedLease(const WatchedLease&) = delete;
  WatchedLease& operator=(const WatchedLease&) = delete;

  Frame& frame() { return *frame_; }
  void finish() {
    frame_->finish();
    finished_ = true;
  }
  void begin() {
    if (recording_ == nullptr) return;
    begun_ = true;
    frame_->recorder()->begin_call(recording_->forced());
  }
  void part(CallPart part) {
    if (recording_ != nullptr) frame_->recorder()->part(part);
  }

 private:
  CompiledFunction& function_;
  const std::shared_ptr<Recording> recording_;
  Frame* const frame_;
  bool finished_ = false, begun_ = false;
};

struct CompiledFunction::Updates {
  std::vector<SharedValue*> targets;
  std::vector<Cell> values;
};

CompiledFunction::CompiledFunction(std::string name, std::string shown, std::string called,
                                   Linked linked, std::vector<Variable> inputs,
                                   std::vector<Parameter> parameters,
                                   std::vector<OutputSpec> outputs, bool bare, PyRef pack)
    : name_(std::move(name)),
      shown_(std::move(shown)),
      linked_(std::move(linked)),
      pool_(linked_.program),
      inputs_(std::move(inputs)),
      signature_(std::move(called), std::move(parameters)),
      outputs_(std::move(outputs)),
      bare_(bare && outputs_.size() == 1),
      pack_(std::move(pack)) {
  for (const Ref<SharedValue>& value : linked_.shared) shared_.push_back(value.get());
  const Program& program = *linked_.program;
  std::vector<std::uint32_t> order = program.outputs;
  order.insert(order.end(), program.updates.begin(), program.updates.end());
  output_takes_ = last_uses(program, order);
  update_takes_.assign(output_takes_.begin() + static_cast<std::ptrdiff_t>(program.outputs.size()),
                       output_takes_.end());
  output_takes_.resize(program.outputs.size());
}

FramePool& CompiledFunction::pool() {
  if (last_ != nullptr) pool_.release(std::exchange(last_, nullptr));
  return pool_;
}

void CompiledFunction::release(Frame* frame) {
  if (last_ == nullptr) {
    last_ = frame;
  } else {
    pool_.release(frame);
  }
}

inline void CompiledFunction::store_arguments(Frame& frame, PyObject* const* arguments,
                                              std::size_t n_positional, PyObject* keywords) const {
  const std::vector<std::uint32_t>& registers = linked_.program->inputs;
  const std::vector<Parameter>& parameters = signature_.parameters();
  if (keywords == nullptr && n_positional == parameters.size()) [[likely]] {
    for (std::size_t i = 0; i < n_positional; ++i)
      parameters[i].store(arguments[i], frame.cell(registers[i]));
    return;
  }
  std::array<PyObject*, kInlineArguments> few;
  std::vector<PyObject*> many;
  PyObject** bound = few.data();
  if (parameters.size() > few.size()) {
    many.resize(parameters.size());
    bound = many.data();
  }
  signature_.bind(arguments, n_positional, keywords, bound);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    Cell& cell = frame.cell(registers[i]);
    if (bound[i] == nullptr)
      cell = parameters[i].default_value;
    else
      parameters[i].store(bound[i], cell);
  }
}

// Where no code of the user's runs, a shared value need not be made read-only in each call.
bool CompiledFunction::shows_values() const {
  return !nodes_.empty() || observer_ ||
         std::ranges::any_of(outputs_, [](const OutputSpec& output) { return output.borrow; });
}

void CompiledFunction::store_shared(Frame& frame) const {
  std::vector<Cell> values(shared_.size());
  SharedValue::snapshot(shared_, values);
  const bool is_shown = shows_values();
  for (std::size_t i = 0; i < values.size(); ++i)
    frame.cell(linked_.program->shared[i]) =
        is_shown ? kept(std::move(values[i])) : std::move(values[i]);
}

inline void CompiledFunction::run(Frame& frame, Observer* observer, bool watched) const {
  FailureReport report(linked_, shown_);
  PythonHost host(report, frame);
  const Status status = observer == nullptr ? frame.run(host, nullptr, &report)
                                            : run_observed(frame, *observer, watched, host, report);
  if (status == Status::Done) [[likely]]
    return;
  throw_failure(frame, host, report);
}

Status CompiledFunction::run_observed(Frame& frame, Observer& observer, bool watched,
                                      PythonHost& host, FailureReport& report) {
  ObserverTracer tracer(observer, host, watched);
  if (watched) return frame.run(host, &tracer, &report);
  const std::uint64_t begin = Clock::now();
  const Status status = frame.run(host, observer.tells_of_new() ? &tracer : nullptr, &report);
  observer.add_unwatched(Clock::now() - begin);
  return status;
}

void CompiledFunction::throw_failure(Frame& frame, PythonHost& host, FailureReport& report) {
  const Failure failure = frame.take_failure();
  if (host.interruption()) {
    set_exception(std::move(host.interruption()));
  } else {
    report.raise(failure);
  }
  throw PythonError{};
}

inline PyRef CompiledFunction::take_output(Frame& frame, std::size_t j) const {
  Cell& cell = frame.cell(linked_.program->outputs[j]);
  if (cell.is_scalar()) return PyRef::adopt(numpy_scalar(cell.dtype(), cell.address()));
  const bool takes = output_takes_[j] != 0;
  if (cell.is_array() && cell.body()->ndim != 0 && !outputs_[j].borrow)
    return to_ndarray(takes && exclusive(cell) ? cell.take_array() : copy_of_array(cell));
  Cell value = take_or_share(cell, takes);
  if (outputs_[j].borrow) return to_python_lent(value);
  return to_python(make_exclusive(std::move(value), *outputs_[j].type));
}

inline PyRef CompiledFunction::take_outputs(Frame& frame) const {
  if (bare_) return take_output(frame, 0);
  PyRef list = PyRef::take(PyList_New(static_cast<Py_ssize_t>(outputs_.size())));
  for (std::size_t j = 0; j < outputs_.size(); ++j)
    PyList_SET_ITEM(list.get(), static_cast<Py_ssize_t>(j), take_output(frame, j).release());
  return list;
}

void CompiledFunction::take_updates(Frame& frame, Updates& updates) const {
  const std::vector<std::uint32_t>& registers = linked_.program->updates;
  updates.targets.reserve(registers.size());
  updates.values.reserve(registers.size());
  for (std::size_t k = 0; k < registers.size(); ++k) {
    Cell& cell = frame.cell(registers[k]);
    if (cell.empty()) continue;  // an if-computed update that nobody demanded
    SharedValue* target = linked_.targets[k].get();
    if (!update_names_[k].empty())
      check_lengths(cell, *target->type().tensor(), update_names_[k].c_str());
    updates.values.push_back(
        make_exclusive(take_or_share(cell, update_takes_[k] != 0), target->type()));
    updates.targets.push_back(target);
  }
}

PyObject* CompiledFunction::call(PyObject* const* arguments, std::size_t n_positional,
                                 PyObject* keywords) {
  const CallingThread calling;
  drain_released();
  if (watched_) [[unlikely]]
    return call_watched(recordings_.empty() ? nullptr : recordings_.back(), arguments, n_positional,
                        keywords);
  Lease lease(*this);
  if (emitted_.native == nullptr && when_ != CompileWhen::Never) [[unlikely]]
    follow_tier(emitted_);
  return call_in(lease, emitted_.native, arguments, n_positional, keywords);
}

PyObject* CompiledFunction::call_recorded(std::shared_ptr<Recording> recording,
                                          PyObject* const* arguments, std::size_t n_positional,
                                          PyObject* keywords) {
  const CallingThread calling;
  drain_released();
  return call_watched(std::move(recording), arguments, n_positional, keywords);
}

PyObject* CompiledFunction::call_watched(std::shared_ptr<Recording> recording,
                                         PyObject* const* arguments, std::size_t n_positional,
                                         PyObject* keywords) {
  WatchedLease lease(*this, recording);
  Emitted& emitted = recording == nullptr ? emitted_ : recording->emitted();
  const bool had_native = emitted.native != nullptr;
  const std::uint64_t before = Clock::now();
  const bool may_compile = recording == nullptr || emitted.profiled;
  if (!had_native && may_compile && when_ != CompileWhen::Never) follow_tier(emitted);
  if (!had_native && emitted.native != nullptr && recording != nullptr)
    recording->note_changeover(static_cast<double>(Clock::now() - before) *
                               Clock::seconds_per_tick());
  return call_in(lease, emitted.native, arguments, n_positional, keywords);
}

template <class AnyLease>
inline PyObject* CompiledFunction::call_in(AnyLease& lease,
                                           const std::shared_ptr<const NativeCode>& native,
                                           PyObject* const* arguments, std::size_t n_positional,
                                           PyObject* keywords) {
  Frame& frame = lease.frame();
  if (frame.native() != native.get()) [[unlikely]]
    frame.use(native);
  lease.begin();
  store_arguments(frame, arguments, n_positional, keywords);
  if (!shared_.empty()) store_shared(frame);
  Observer* observer = nullptr;
  bool watched = false;
  PyRef started;
  if constexpr (AnyLease::kWatched) {
    if (observer_) {
      observer = &*observer_;
      watched = observer->watches();
      if (watched) started = observer->started(frame);
    }
  }
  lease.part(CallPart::Arguments);
  run(frame, observer, watched);
  lease.part(CallPart::Machine);
  PyRef result = take_outputs(frame);
  if constexpr (AnyLease::kWatched) {
    if (watched) observer->finished(result.get(), started);
  }
  if (!pack_ && linked_.program->updates.empty()) [[likely]] {
    lease.finish();
    lease.part(CallPart::Results);
    return result.release();
  }
  Updates updates;
  take_updates(frame, updates);
  lease.finish();
  if (pack_) result = PyRef::take(PyObject_CallOneArg(pack_.get(), result.get()));
  if (!updates.targets.empty()) SharedValue::commit(updates.targets, updates.values);
  lease.part(CallPart::Results);
  return result.release();
}

}  // namespace thunkvm
