#include "linkers/codegen/emit/compilation_job.h"

#include "linkers/codegen/emit/emitter.h"
#include "linkers/codegen/emit/limits.h"
#include "linkers/compiler/compile_queue.h"
#include "linkers/compiler/limits.h"
#include "thunks/log.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
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

std::uint64_t first_compiled_call(const Program& program) {
  return std::max<std::uint64_t>(2, program.steps.size() / kThunksPerCall);
}

// One compilation: the code is emitted if it was not yet, then each module is a part.
class CompilationJob::Run final : public CompileJob {
 public:
  Run(const EmissionSource& source, std::shared_ptr<EmittedCode> code, CompilerSettings settings,
      std::uint64_t urgency, bool background)
      : CompileJob(urgency),
        source_(source),
        settings_(std::move(settings)),
        background_(background),
        code_(std::move(code)),
        has_code_(code_ != nullptr) {}

  bool is_here() const { return process_ == ::getpid(); }
  State state() const { return state_.load(std::memory_order_acquire); }
  void set_state(State state) { state_.store(state, std::memory_order_release); }
  /// What it was given, or has emitted; null before that. No lock, which a process that forks might
  /// take along.
  std::shared_ptr<EmittedCode> code() const {
    return has_code_.load(std::memory_order_acquire) ? code_ : nullptr;
  }
  /// Of one that has ended.
  const Cost& cost() const { return cost_; }
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
    began_ = std::chrono::steady_clock::now();
    if (code_ == nullptr) {
      std::shared_ptr<EmittedCode> code =
          emit(source_.program, *source_.schedule, *source_.shapes, source_.options, stop);
      const std::lock_guard lock(lock_);
      code_ = std::move(code);
      has_code_.store(true, std::memory_order_release);
      changed_.notify_all();
    }
    if (background_ && !code_->gains()) {
      nothing_gained_ = true;
      return 0;
    }
    modules_.resize(code_->sources().size());
    return modules_.size();
  }

  void do_part(std::size_t part, const std::stop_token& stop) override {
    try {
      LoadedModule found = find_module({.text = code_->sources()[part],
                                        .flags = {"-fopenmp-simd"},
                                        .libraries = {"-lm"},
                                        .defines = code_->defines(part)},
                                       settings_, stop);
      if (!found.compiled) ++cache_hits_;
      modules_[part] = std::move(found.module);
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
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - began_;
    cost_ = {.in_background = background_ && began_ != kNever ? taken.count() : 0,
             .cache_hits = cache_hits_.load()};
    error_ = std::move(error);
    set_state(how);
    changed_.notify_all();
  }

  const EmissionSource& source_;
  const CompilerSettings settings_;
  const bool background_;
  const pid_t process_ = ::getpid();
  bool nothing_gained_ = false;
  std::vector<ModulePtr> modules_;
  static constexpr std::chrono::steady_clock::time_point kNever{};
  std::chrono::steady_clock::time_point began_ = kNever;  ///< stopped before that, it took nothing
  std::atomic<std::uint64_t> cache_hits_{0};
  Cost cost_;
  std::exception_ptr error_;
  std::atomic<State> state_{State::Compiling};
  std::mutex lock_;
  std::condition_variable changed_;
  std::shared_ptr<EmittedCode> code_;  // does not change once there is one
  std::atomic<bool> has_code_;
};

CompilationJob::CompilationJob(EmissionSource source) : source_(std::move(source)) {}

CompilationJob::~CompilationJob() { stop(); }

// The compilation before it, if any, has ended.
bool CompilationJob::start(CompilerSettings settings, std::uint64_t urgency, bool background) {
  stop();
  if (code_ == nullptr && run_ != nullptr) code_ = run_->code();
  auto run = std::make_shared<Run>(source_, code_, std::move(settings), urgency, background);
  if (!CompileQueue::of_process().add(*run, background)) return false;
  run_ = std::move(run);
  return true;
}

void CompilationJob::compile_now(const CompilerSettings& settings, Host& host) {
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
  start(settings, CompileJob::kWaitedFor, false);
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

void CompilationJob::compile_in_background(CompilerSettings settings, std::uint64_t calls) {
  report();  // which may let another thread in
  if (state() != State::Waiting) return;
  try {
    start(std::move(settings), calls, true);
  } catch (const CompileError& error) {
    log().warn("{}. It is tried again later.", error.what());
  }
}

void CompilationJob::set_urgency(std::uint64_t calls) {
  if (run_ != nullptr) run_->set_urgency(calls);
}

// The message, with the node whose C the compiler complains of.
std::string CompilationJob::explained(const CompileError& error) const {
  const std::shared_ptr<EmittedCode> code = run_ == nullptr ? nullptr : run_->code();
  const std::string node =
      code == nullptr ? std::string() : code->node_of(error.index(), error.diagnostics());
  return node.empty() ? error.what() : "the C of node " + node + ": " + error.what();
}

void CompilationJob::report() {
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

void CompilationJob::wait(Run& run, Host& host, bool for_code) const {
  host.leave();
  run.wait(for_code);
  host.enter();
  if (host.interrupted())
    throw Error(ErrorKind::Interrupted, "the wait for emitted code was interrupted.");
}

void CompilationJob::stop() {
  if (run_ == nullptr) return;
  if (run_->is_here()) {
    CompileQueue::of_process().stop(*run_);
    return;
  }
  // Whoever was at it did not come along into this process, and what they were about may be half
  // done.
  static auto* lost = new std::vector<std::shared_ptr<Run>>;
  static auto* lost_code = new std::vector<std::shared_ptr<EmittedCode>>;
  lost->push_back(std::move(run_));
  run_ = nullptr;
  lost_code->push_back(std::move(code_));
  code_ = nullptr;
}

void CompilationJob::stop_all(Host& host) {
  host.leave();
  CompileQueue::of_process().close();
  host.enter();
}

CompilationJob::State CompilationJob::state() const {
  if (run_ == nullptr) return State::Waiting;
  const State state = run_->state();
  return state == State::Compiling && !run_->is_here() ? State::Waiting : state;
}

const CompilationJob::Cost& CompilationJob::cost() const {
  static const Cost none;
  return run_ == nullptr || run_->state() == State::Compiling ? none : run_->cost();
}

std::shared_ptr<const NativeCode> CompilationJob::ready() const {
  return state() == State::Ready ? run_->code() : nullptr;
}

const EmittedCode& CompilationJob::code(Host& host) {
  while (code_ == nullptr) {
    const std::shared_ptr<Run> run = run_ != nullptr && run_->is_here() ? run_ : nullptr;
    if (run != nullptr && (code_ = run->code()) != nullptr) break;
    if (run == nullptr || run->state() != State::Compiling) {
      code_ = emit(source_.program, *source_.schedule, *source_.shapes, source_.options);
    } else {
      wait(*run, host, true);
    }
  }
  return *code_;
}

}  // namespace thunkvm
