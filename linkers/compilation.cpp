#include "linkers/compilation.h"

#include "linkers/codegen/emit/compilation_job.h"
#include "vm/clock.h"

namespace thunkvm {

Compilation::Compilation(const Linked& linked, CompileWhen when, const PlanOptions& options)
    : program_(linked.program),
      schedule_(linked.schedule),
      shapes_(linked.shapes),
      when_(when),
      options_(options),
      followed_(when != CompileWhen::Never),
      next_try_(first_compiled_call(*linked.program)) {}

Compilation::~Compilation() = default;

CompilationJob& Compilation::job() {
  if (job_ == nullptr)
    job_ = std::make_unique<CompilationJob>(EmissionSource{
        .program = program_,
        .schedule = schedule_,
        .shapes = shapes_ != nullptr ? shapes_ : std::make_shared<const ShapeFacts>(),
        .options = options_});
  return *job_;
}

void Compilation::follow() {
  if (++calls_ < next_try_ && job_ == nullptr) return;
  switch (job().state()) {
    case CompilationJob::State::Waiting:
      if (calls_ < next_try_) return;
      next_try_ = 2 * calls_;  // should it fail for what may be better by then
      job().compile_in_background(default_settings(), calls_);
      return;
    case CompilationJob::State::Compiling: job().set_urgency(calls_); return;
    case CompilationJob::State::Ready: change_over(); return;
    case CompilationJob::State::Failed: job().report(); break;
    case CompilationJob::State::Unneeded: break;
  }
  followed_.store(false, std::memory_order_relaxed);
}

void Compilation::change_over() {
  native_ = job().ready();
  ready_.store(native_.get(), std::memory_order_release);
  followed_.store(false, std::memory_order_relaxed);
}

void Compilation::compile(Host& host) {
  if (!emits() || ready() != nullptr) return;
  const std::uint64_t begin = Clock::now();
  job().compile_now(default_settings(), host);
  waited_ += static_cast<double>(Clock::now() - begin) * Clock::seconds_per_tick();
  if (ready() == nullptr && job().state() == CompilationJob::State::Ready) change_over();
}

void Compilation::keep_pace_with(const Compilation& other) {
  calls_ = other.calls_;
  next_try_ = other.next_try_;
}

void Compilation::stop(Host& host) {
  if (state() != State::Compiling) return;
  host.leave();  // the compiler's thread may want to log, which may take the host's lock
  job_->stop();
  host.enter();
}

const EmittedCode* Compilation::code(Host& host) { return emits() ? &job().code(host) : nullptr; }

Compilation::State Compilation::state() const {
  if (!emits()) return State::Off;
  if (job_ == nullptr) return State::Waiting;
  switch (job_->state()) {
    case CompilationJob::State::Waiting: return State::Waiting;
    case CompilationJob::State::Compiling: return State::Compiling;
    case CompilationJob::State::Ready: return State::Ready;
    case CompilationJob::State::Failed: return State::Failed;
    case CompilationJob::State::Unneeded: break;
  }
  return State::Unneeded;
}

double Compilation::in_background() const {
  return job_ == nullptr ? 0 : job_->cost().in_background;
}

std::uint64_t Compilation::cache_hits() const {
  return job_ == nullptr ? 0 : job_->cost().cache_hits;
}

std::string Compilation::why_not() const {
  switch (state()) {
    case State::Off:
    case State::Compiling:
    case State::Ready: return {};
    case State::Failed: return "its C could not be compiled";
    case State::Unneeded: return "it calls kernels alone, which the interpreter does as well";
    case State::Waiting: break;
  }
  return "it is compiled from call " + std::to_string(next_try_) + " on";
}

std::string_view name(Compilation::State state) {
  switch (state) {
    case Compilation::State::Off: return "off";
    case Compilation::State::Waiting: return "waiting";
    case Compilation::State::Compiling: return "compiling";
    case Compilation::State::Ready: return "ready";
    case Compilation::State::Failed: return "failed";
    case Compilation::State::Unneeded: break;
  }
  return "unneeded";
}

}  // namespace thunkvm
