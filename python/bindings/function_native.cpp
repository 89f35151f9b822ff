// function_native.cpp: a function's emitted code: when it is made, compiled and changed over to,
// and what it says of itself.
#include "python/bindings/function.h"
#include "python/bindings/host.h"
#include "python/bindings/raised.h"

namespace thunkvm {

CompiledFunction::~CompiledFunction() {
  if (tier_ == nullptr || tier_->state() != Tier::State::Compiling) return;
  PythonHost host;
  host.leave();  // the compiler's thread may want to log, for which it needs the GIL
  tier_->stop();
  host.enter();
}

void CompiledFunction::set_native(CompileWhen when, const PlanOptions& options,
                                  std::function<Status(Activation&, std::uint32_t)> check) {
  when_ = when;
  plan_ = options;
  check_ = std::move(check);
  if (when == CompileWhen::Now) compile();
}

Tier* CompiledFunction::tier() {
  if (when_ == CompileWhen::Never) return nullptr;
  if (tier_ == nullptr) {
    auto code = EmittedCode::emit(linked_.program, linked_.nodes, linked_.registers, plan_);
    code->check = check_;
    tier_ = std::make_unique<Tier>(std::move(code));
  }
  return tier_.get();
}

void CompiledFunction::compile() {
  if (tier() == nullptr) return;
  PythonHost host;
  try {
    tier_->compile_now(default_settings(), host);
  } catch (const Error&) {
    if (!host.interruption()) throw;
    set_exception(std::move(host.interruption()));
    throw PythonError{};
  }
  native_ = tier_->ready();
}

void CompiledFunction::follow_tier() {
  if (tier_ == nullptr && ++calls_ < 2) return;
  if (tier()->state() == Tier::State::Waiting) tier_->compile_in_background(default_settings());
  native_ = tier_->ready();
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
