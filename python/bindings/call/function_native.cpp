// function_native.cpp: a function's emitted code: when it is made, compiled and changed over to,
// and what it says of itself.
#include "python/bindings/call/function.h"
#include "python/bindings/python/host.h"
#include "python/bindings/python/raised.h"

#include <algorithm>

namespace thunkvm {

namespace {

void stop_compiling(Tier* tier) {
  if (tier == nullptr || tier->state() != Tier::State::Compiling) return;
  PythonHost host;
  host.leave();  // the compiler's thread may want to log, for which it needs the GIL
  tier->stop();
  host.enter();
}

}  // namespace

CompiledFunction::~CompiledFunction() {
  stop_compiling(emitted_.tier.get());
  for (const std::shared_ptr<Recording>& recording : recordings_)
    stop_compiling(recording->emitted().tier.get());
}

void CompiledFunction::set_native(CompileWhen when, const PlanOptions& options) {
  when_ = when;
  plan_ = options;
  emitted_.next_try = first_compiled_call(*linked_.program);
  if (when == CompileWhen::Now) compile();
}

Tier* CompiledFunction::tier(Emitted& emitted) {
  if (when_ == CompileWhen::Never) return nullptr;
  if (emitted.tier == nullptr) {
    PlanOptions options = plan_;
    options.profiled = emitted.profiled;
    emitted.tier = std::make_unique<Tier>(EmissionSource{
        .program = linked_.program, .schedule = linked_.schedule, .options = options});
  }
  return emitted.tier.get();
}

namespace {

// What `work` gives, which may wait for compilers; what a signal's handler raises ends the wait.
template <class Work>
auto interruptible(const Work& work) {
  PythonHost host;
  try {
    return work(host);
  } catch (const Error&) {
    if (!host.interruption()) throw;
    set_exception(std::move(host.interruption()));
    throw PythonError{};
  }
}

}  // namespace

const EmittedCode* CompiledFunction::code() {
  if (tier() == nullptr) return nullptr;
  return interruptible([&](Host& host) { return &emitted_.tier->code(host); });
}

void CompiledFunction::compile(Emitted& emitted) {
  if (tier(emitted) == nullptr) return;
  const std::uint64_t begin = Clock::now();
  interruptible([&](Host& host) { emitted.tier->compile_now(default_settings(), host); });
  emitted.waited += static_cast<double>(Clock::now() - begin) * Clock::seconds_per_tick();
  emitted.native = emitted.tier->ready();
}

void CompiledFunction::follow_tier(Emitted& emitted) {
  if (++emitted.calls < emitted.next_try && emitted.tier == nullptr) return;
  switch (tier(emitted)->state()) {
    case Tier::State::Waiting:
      if (emitted.calls < emitted.next_try) return;
      emitted.next_try = 2 * emitted.calls;  // should it fail for what may be better by then
      emitted.tier->compile_in_background(default_settings(), emitted.calls);
      return;
    case Tier::State::Compiling: emitted.tier->set_urgency(emitted.calls); return;
    case Tier::State::Ready: emitted.native = emitted.tier->ready(); return;
    case Tier::State::Failed: emitted.tier->report(); return;
    case Tier::State::Unneeded: return;
  }
}

std::shared_ptr<Recording> CompiledFunction::record(const RecordOptions& options) {
  auto recording = std::make_shared<Recording>(linked_, options);
  Emitted& emitted = recording->emitted();
  emitted.profiled = true;
  emitted.calls = emitted_.calls;
  emitted.next_try = emitted_.next_try;
  if (emitted_.native != nullptr) compile(emitted);
  recordings_.push_back(recording);
  watched_ = true;
  return recording;
}

void CompiledFunction::stop(const std::shared_ptr<Recording>& recording) {
  const auto at = std::find(recordings_.begin(), recordings_.end(), recording);
  if (at == recordings_.end()) return;
  RecordedCalls recorded = recording->recorded();
  if (at != recordings_.begin()) {
    (*(at - 1))->take_over(recorded);
  } else {
    stopped_.add({.totals = {}, .node_runs = recorded.node_runs, .counters = recorded.counters});
  }
  // Those above it recorded calls of its time, too.
  for (auto above = at + 1; above != recordings_.end(); ++above)
    recording->take_over((*above)->recorded());
  stop_compiling(recording->emitted().tier.get());
  recordings_.erase(at);
  watched_ = observer_ || !recordings_.empty();
}

std::shared_ptr<Recording> CompiledFunction::record_apart(const RecordOptions& options) {
  return std::make_shared<Recording>(linked_, options);
}

std::vector<std::uint64_t> CompiledFunction::counts(
    std::vector<std::uint64_t> RecordedCalls::* which) {
  RecordedCalls all = stopped_;
  all.add({.totals = {}, .node_runs = pool().node_runs(), .counters = pool().counters()});
  for (const std::shared_ptr<Recording>& recording : recordings_) all.add(recording->recorded());
  std::vector<std::uint64_t>& result = all.*which;
  const std::vector<std::uint64_t>& before = reset_at_.*which;
  for (std::size_t i = 0; i < before.size(); ++i) result[i] -= before[i];
  return std::move(result);
}

void CompiledFunction::reset_counters() {
  pool().reset_counters();
  stopped_ = {};
  reset_at_ = {};
  // Recordings keep what they counted.
  for (const std::shared_ptr<Recording>& recording : recordings_)
    reset_at_.add(recording->recorded());
}

std::string CompiledFunction::why_not_compiled() const {
  const Tier::State state =
      emitted_.tier == nullptr ? Tier::State::Waiting : emitted_.tier->state();
  if (when_ == CompileWhen::Never || state == Tier::State::Ready || state == Tier::State::Compiling)
    return {};
  if (state == Tier::State::Failed) return "its C could not be compiled";
  if (state == Tier::State::Unneeded)
    return "it calls kernels alone, which the interpreter does as well";
  return "it is compiled from call " + std::to_string(emitted_.next_try) + " on";
}

namespace {

PyObject* stop_compiling(PyObject*, PyObject*) {
  PythonHost host;
  Tier::stop_all(host);
  Py_RETURN_NONE;
}

PyMethodDef stop_method = {
    "stop_compiling", stop_compiling, METH_NOARGS,
    "stop_compiling()\n--\n\nEnd what compiles in the background, and begin nothing new there."};

}  // namespace

void stop_compiling_at_exit() {
  // Once the interpreter is going, a thread that logs would never end, nor be waited for.
  PyRef stop = PyRef::take(PyCFunction_New(&stop_method, nullptr));
  PyRef atexit = PyRef::take(PyImport_ImportModule("atexit"));
  PyRef::take(PyObject_CallMethod(atexit.get(), "register", "O", stop.get()));
}

}  // namespace thunkvm
