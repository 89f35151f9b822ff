#include "linkers/compilation.h"

#include "linkers/codegen/emit/emitter.h"
#include "linkers/compiler/compile_queue.h"
#include "linkers/compiler/compiler.h"
#include "linkers/compiler/limits.h"
#include "linkers/limits.h"
#include "thunks/log.h"
#include "vm/clock.h"

#include <unistd.h>

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <utility>
#include <vector>

namespace thunkvm {
namespace {

bool said_once() {
  static std::atomic<bool> said{false};
  return said.exchange(true);
}

bool lacked_something(const std::exception_ptr& error) {
  try {
    std::rethrow_exception(error);
  } catch (const CompileError& compile_error) {
    return compile_error.fault() == CompileFault::Shortage;
  } catch (...) {
    return false;
  }
}

}  // namespace

// One compilation: the code is emitted if it was not yet, then each module is a part.
class Compilation::Run final : public CompileJob {
 public:
  Run(const Compilation& of, std::uint64_t urgency, bool background)
      : CompileJob(urgency),
        of_(of),
        settings_(default_settings()),
        background_(background),
        code_(of.code_),
        has_code_(code_ != nullptr) {}

  bool is_here() const { return process_ == ::getpid(); }
  State state() const { return state_.load(std::memory_order_acquire); }
  void set_state(State state) { state_.store(state, std::memory_order_release); }
  /// What it was given, or has emitted; null before that. No lock, which a process that forks might
  /// take along.
  std::shared_ptr<EmittedCode> code() const {
    return has_code_.load(std::memory_order_acquire) ? code_ : nullptr;
  }
  /// Seconds in the background, from the first step to the last, of one that has ended.
  double in_background() const { return in_background_; }
  std::uint64_t cache_hits() const { return cache_hits_.load(); }
  /// What one that has ended failed with, told once; null if it did not.
  std::exception_ptr take_error() { return std::exchange(error_, nullptr); }

  /// Waits a while for the end of it, or for its code.
  void wait(bool for_code) {
    std::unique_lock lock(lock_);
    changed_.wait_for(lock, kAskHost, [&] {
      return state() != State::Compiling || (for_code && has_code_.load());
    });
  }

 private:
  std::size_t begin(const std::stop_token& stop) override {
    began_ = Clock::now();
    if (code_ == nullptr) {
      std::shared_ptr<EmittedCode> code = of_.emitted(stop);
      const std::lock_guard lock(lock_);
      code_ = std::move(code);
      has_code_.store(true, std::memory_order_release);
      changed_.notify_all();
    }
    if (background_ && !code_->gains()) {
      nothing_gained_ = true;
      return 0;
    }
    modules_.resize(code_->n_modules());
    return modules_.size();
  }

  void do_part(std::size_t part, const std::stop_token& stop) override {
    try {
      LoadedModule found = find_module({.text = code_->source(part),
                                        .flags = {"-fopenmp-simd"},
                                        .libraries = {"-lm"},
                                        .defines = code_->defines(part)},
                                       settings_, stop);
      if (!found.compiled) ++cache_hits_;
      modules_[part] = std::move(found.module);
      const std::size_t n_done = ++n_done_;
      if (modules_.size() > 1)
        log().info("{} of {} modules of C are compiled, after {:.1f} s", n_done, modules_.size(),
                   static_cast<double>(Clock::now() - began_) * Clock::seconds_per_tick());
    } catch (CompileError& error) {
      error.set_index(part);
      throw;
    }
  }

  void end(std::exception_ptr error, bool stopped) noexcept override {
    State how = error ? (background_ && !lacked_something(error) ? State::Failed : State::Waiting)
                : stopped         ? State::Waiting
                : nothing_gained_ ? State::Unneeded
                                  : State::Ready;
    if (how == State::Ready) {
      try {
        auto modules = std::make_shared<std::vector<ModulePtr>>(std::move(modules_));
        code_->load(modules, [&](std::size_t module, const std::string& name) {
          return (*modules)[module]->symbol(name.c_str());
        });
      } catch (...) {
        error = std::current_exception();
        how = State::Failed;
      }
    }
    const std::lock_guard lock(lock_);
    if (background_ && began_ != 0)  // stopped before that, it took nothing
      in_background_ = static_cast<double>(Clock::now() - began_) * Clock::seconds_per_tick();
    error_ = std::move(error);
    set_state(how);
    changed_.notify_all();
  }

  const Compilation& of_;
  const CompilerSettings settings_;
  const bool background_;
  const pid_t process_ = ::getpid();
  bool nothing_gained_ = false;
  std::vector<ModulePtr> modules_;
  std::uint64_t began_ = 0;
  double in_background_ = 0;
  std::atomic<std::uint64_t> cache_hits_{0};
  std::atomic<std::size_t> n_done_{0};  // of the modules
  std::exception_ptr error_;
  std::atomic<State> state_{State::Compiling};
  std::mutex lock_;
  std::condition_variable changed_;
  std::shared_ptr<EmittedCode> code_;  // does not change once there is one
  std::atomic<bool> has_code_;
};

Compilation::Compilation(const Linked& linked, CompileWhen when, const PlanOptions& options)
    : program_(linked.program),
      schedule_(linked.schedule),
      shapes_(linked.shapes),
      when_(when),
      options_(options),
      followed_(when != CompileWhen::Never),
      next_try_(std::max<std::uint64_t>(2, program_->steps.size() / kThunksPerCall)) {}

Compilation::~Compilation() { end_run(); }

std::shared_ptr<EmittedCode> Compilation::emitted(const std::stop_token& stop) const {
  const ShapeFacts none;  // what a mode that fuses nothing needs
  return emit(program_, *schedule_, shapes_ == nullptr ? none : *shapes_, options_, stop);
}

void Compilation::follow(Host* host) {
  if (++calls_ == 1 && host != nullptr && !program_->loops.empty() && state() == State::Waiting) {
    compile_in_background();
    while (state() == State::Compiling) {
      const std::shared_ptr<Run> run = run_;
      run->set_urgency(CompileJob::kWaitedFor);
      wait(*run, *host);
    }
    if (state() == State::Ready) change_over();
    return;
  }
  if (calls_ < next_try_ && run_ == nullptr) return;
  switch (state()) {
    case State::Waiting:
      if (calls_ < next_try_) return;
      next_try_ = 2 * calls_;  // should it fail for what may be better by then
      compile_in_background();
      return;
    case State::Compiling: run_->set_urgency(calls_); return;
    case State::Ready: change_over(); return;
    case State::Failed: report(); break;
    case State::Unneeded:
    case State::Off: break;
  }
  followed_.store(false, std::memory_order_relaxed);
}

void Compilation::change_over() {
  native_ = run_->code();
  ready_.store(native_.get(), std::memory_order_release);
  followed_.store(false, std::memory_order_relaxed);
}

// The compilation before it, if any, has ended.
bool Compilation::start(std::uint64_t urgency, bool background) {
  end_run();
  if (code_ == nullptr && run_ != nullptr) code_ = run_->code();
  auto run = std::make_shared<Run>(*this, urgency, background);
  if (!CompileQueue::of_process().add(*run, background)) return false;
  run_ = std::move(run);
  return true;
}

void Compilation::compile(Host& host) {
  if (!emits() || ready() != nullptr) return;
  const std::uint64_t begin = Clock::now();
  compile_now(host);
  waited_ += static_cast<double>(Clock::now() - begin) * Clock::seconds_per_tick();
  if (ready() == nullptr && state() == State::Ready) change_over();
}

void Compilation::compile_now(Host& host) {
  do {
    while (state() == State::Compiling) {
      const std::shared_ptr<Run> run = run_;
      run->set_urgency(CompileJob::kWaitedFor);
      wait(*run, host);
    }
    report();  // which may let another thread in
  } while (state() == State::Compiling);
  const State before = state();
  if (before == State::Ready) return;
  start(CompileJob::kWaitedFor, false);
  const std::shared_ptr<Run> run = run_;
  try {
    while (run->state() == State::Compiling) wait(*run, host);
  } catch (...) {
    host.leave();
    CompileQueue::of_process().stop(*run);
    host.enter();
    run->set_state(before);
    throw;
  }
  const std::exception_ptr error = run->take_error();
  if (!error) return;
  run->set_state(before);
  if (before == State::Failed) return;  // which was said
  try {
    std::rethrow_exception(error);
  } catch (const CompileError& compile_error) {
    throw CompileError(compile_error.fault(), explained(compile_error), compile_error.diagnostics(),
                       compile_error.source_path());
  }
}

void Compilation::compile_in_background() {
  report();  // which may let another thread in
  if (state() != State::Waiting) return;
  try {
    start(calls_, true);
  } catch (const CompileError& error) {
    log().warn("{}. It is tried again later.", error.what());
  }
}

void Compilation::keep_pace_with(const Compilation& other) {
  calls_ = other.calls_;
  next_try_ = other.next_try_;
}

// The message, with the node whose C the compiler complains of.
std::string Compilation::explained(const CompileError& error) const {
  const std::shared_ptr<EmittedCode> code = run_ == nullptr ? nullptr : run_->code();
  const std::string node =
      code == nullptr ? std::string() : code->node_of(error.index(), error.diagnostics());
  return node.empty() ? error.what() : "the C of node " + node + ": " + error.what();
}

// Logs what failed in the background since the last time, once where there is no compiler.
void Compilation::report() {
  if (run_ == nullptr || !run_->is_here() || run_->state() == State::Compiling) return;
  const std::exception_ptr error = run_->take_error();
  if (!error) return;
  try {
    std::rethrow_exception(error);
  } catch (const CompileError& compile_error) {
    if (compile_error.fault() == CompileFault::Shortage)
      log().warn("{}. It is tried again later.", compile_error.what());
    else if (!compile_error.is_no_compiler() || !said_once())
      log().warn("{} Functions run on native kernels and performs instead.",
                 explained(compile_error));
  } catch (const std::exception& other) {
    log().warn("emitted code could not be compiled: {}", other.what());
  }
}

void Compilation::wait(Run& run, Host& host, bool for_code) const {
  host.leave();
  run.wait(for_code);
  host.enter();
  if (host.interrupted())
    throw Error(ErrorKind::Interrupted, "the wait for emitted code was interrupted.");
}

// What goes on is stopped. It may log until it has ended: the caller lets go of locks that this
// takes.
void Compilation::end_run() {
  if (run_ == nullptr) return;
  if (run_->is_here()) {
    CompileQueue::of_process().stop(*run_);
    return;
  }
  // Whoever was at it did not come along into this process, and what they were about may be half
  // done.
  static auto* lost = new std::vector<std::shared_ptr<Run>>;
  static auto* lost_code = new std::vector<std::shared_ptr<EmittedCode>>;
  lost->push_back(std::exchange(run_, nullptr));
  lost_code->push_back(std::exchange(code_, nullptr));
}

void Compilation::stop(Host& host) {
  if (state() != State::Compiling) return;
  host.leave();  // the compiler's thread may want to log, which may take the host's lock
  end_run();
  host.enter();
}

void Compilation::stop_all(Host& host) {
  host.leave();
  CompileQueue::of_process().close();
  host.enter();
}

const EmittedCode* Compilation::code(Host& host) {
  while (emits() && code_ == nullptr) {
    const std::shared_ptr<Run> run = run_ != nullptr && run_->is_here() ? run_ : nullptr;
    if (run != nullptr && (code_ = run->code()) != nullptr) break;
    if (run == nullptr || run->state() != State::Compiling) {
      code_ = emitted();
    } else {
      wait(*run, host, true);
    }
  }
  return code_.get();
}

Compilation::State Compilation::state() const {
  if (!emits()) return State::Off;
  if (run_ == nullptr) return State::Waiting;
  const State state = run_->state();
  return state == State::Compiling && !run_->is_here() ? State::Waiting : state;
}

const Compilation::Run* Compilation::ended_run() const {
  return run_ == nullptr || run_->state() == State::Compiling ? nullptr : run_.get();
}

double Compilation::in_background() const {
  const Run* const run = ended_run();
  return run == nullptr ? 0 : run->in_background();
}

std::uint64_t Compilation::cache_hits() const {
  const Run* const run = ended_run();
  return run == nullptr ? 0 : run->cache_hits();
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
