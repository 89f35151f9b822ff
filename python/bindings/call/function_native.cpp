// function_native.cpp: a function's emitted code: when it is made, compiled and changed over to,
// and what it says of itself.
#include "python/bindings/call/function.h"
#include "python/bindings/python/host.h"
#include "python/bindings/python/raised.h"

namespace thunkvm {

CompiledFunction::~CompiledFunction() {
  if (tier_ == nullptr || tier_->state() != Tier::State::Compiling) return;
  PythonHost host;
  host.leave();  // the compiler's thread may want to log, for which it needs the GIL
  tier_->stop();
  host.enter();
}

void CompiledFunction::set_native(CompileWhen when, const PlanOptions& options) {
  when_ = when;
  plan_ = options;
  next_try_ = first_compiled_call(*linked_.program);
  if (when == CompileWhen::Now) compile();
}

Tier* CompiledFunction::tier() {
  if (when_ == CompileWhen::Never) return nullptr;
  if (tier_ == nullptr)
    tier_ = std::make_unique<Tier>(
        EmissionSource{.program = linked_.program, .schedule = linked_.schedule, .options = plan_});
  return tier_.get();
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
  return interruptible([&](Host& host) { return &tier_->code(host); });
}

void CompiledFunction::compile() {
  if (tier() == nullptr) return;
  interruptible([&](Host& host) { tier_->compile_now(default_settings(), host); });
  native_ = tier_->ready();
}

void CompiledFunction::follow_tier() {
  if (++calls_ < next_try_ && tier_ == nullptr) return;
  switch (tier()->state()) {
    case Tier::State::Waiting:
      if (calls_ < next_try_) return;
      next_try_ = 2 * calls_;  // should it fail for something that may be better by then
      tier_->compile_in_background(default_settings(), calls_);
      return;
    case Tier::State::Compiling: tier_->set_urgency(calls_); return;
    case Tier::State::Ready: native_ = tier_->ready(); return;
    case Tier::State::Failed: tier_->report(); return;
    case Tier::State::Unneeded: return;
  }
}

std::string CompiledFunction::why_not_compiled() const {
  const Tier::State state = tier_ == nullptr ? Tier::State::Waiting : tier_->state();
  if (when_ == CompileWhen::Never || state == Tier::State::Ready || state == Tier::State::Compiling)
    return {};
  if (state == Tier::State::Failed) return "its C could not be compiled";
  if (state == Tier::State::Unneeded)
    return "it calls kernels alone, which the interpreter does as well";
  return "it is compiled from call " + std::to_string(next_try_) + " on";
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
