#include "linkers/codegen/tier.h"

#include "thunks/log.h"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

namespace thunkvm {
namespace {

constexpr std::chrono::milliseconds kAskHost{50};

/// What the compiler's driver asks in the background.
class StopHost final : public Host {
 public:
  explicit StopHost(std::stop_token stop) : stop_(std::move(stop)) {}
  bool interrupted() override { return stop_.stop_requested(); }

 private:
  std::stop_token stop_;
};

bool said_once() {
  static std::atomic<bool> said{false};
  return said.exchange(true);
}

std::vector<ModulePtr> compile(const EmittedCode& code, const CompilerSettings& settings,
                               Host& host) {
  std::vector<ModuleSource> sources;
  for (const std::string& text : code.sources())
    sources.push_back({text, {"-fopenmp-simd"}, {"-lm"}});
  try {
    return load_modules(sources, settings, host);
  } catch (const CompileError& error) {
    const std::string node = code.node_of(error.index(), error.diagnostics());
    if (node.empty()) throw;
    throw CompileError(error.fault(), "the C of node " + node + ": " + error.what(),
                       error.diagnostics(), error.source_path());
  }
}

}  // namespace

// One compilation.
struct Tier::Run {
  void end(State how) {
    {
      const std::lock_guard lock(mutex);
      state.store(how, std::memory_order_release);
    }
    ended.notify_all();
  }
  void wait_a_while() {
    std::unique_lock lock(mutex);
    ended.wait_for(lock, kAskHost, [&] { return state.load() != State::Compiling; });
  }
  /// Several threads may want to. In a process where the thread is not, there is nothing to wait
  /// for.
  void join() {
    if (process != ::getpid()) return;
    const std::lock_guard lock(joining);
    if (thread.joinable()) thread.join();
  }
  void in_background(const EmittedCode& code, const CompilerSettings& settings);

  const pid_t process = ::getpid();
  std::atomic<State> state{State::Compiling};
  std::vector<ModulePtr> modules;  ///< of one that is Ready
  std::stop_source stop;
  std::mutex mutex, joining;
  std::condition_variable ended;
  std::thread thread;  ///< of one in the background

  /// Those with a thread. The lock is held for a look, and only under the host's.
  class All {
   public:
    bool admits() {
      const std::lock_guard lock(mutex_);
      return !closed_;
    }
    void add(const std::shared_ptr<Run>& run) {
      const std::lock_guard lock(mutex_);
      std::erase_if(runs_, [](const std::weak_ptr<Run>& gone) { return gone.expired(); });
      runs_.push_back(run);
    }
    std::vector<std::shared_ptr<Run>> close() {
      const std::lock_guard lock(mutex_);
      closed_ = true;
      std::vector<std::shared_ptr<Run>> left;
      for (const std::weak_ptr<Run>& entry : runs_)
        if (std::shared_ptr<Run> run = entry.lock()) left.push_back(std::move(run));
      return left;
    }

   private:
    std::mutex mutex_;
    std::vector<std::weak_ptr<Run>> runs_;
    bool closed_ = false;
  };
  static All& all() {
    static auto* all = new All;  // threads may end after static objects
    return *all;
  }
};

void Tier::Run::in_background(const EmittedCode& code, const CompilerSettings& settings) {
  StopHost host(stop.get_token());
  State how = State::Failed;
  try {
    modules = compile(code, settings, host);
    how = State::Ready;
  } catch (const CompileError& error) {
    if (!stop.stop_requested() && (!error.is_no_compiler() || !said_once()))
      log().warn("{} Functions run on native kernels and performs instead.", error.what());
  } catch (const std::exception& error) {
    if (!stop.stop_requested()) log().warn("emitted code could not be compiled: {}", error.what());
  }
  end(how == State::Failed && stop.stop_requested() ? State::Waiting : how);
}

Tier::Tier(std::shared_ptr<EmittedCode> code) : code_(std::move(code)) {}

Tier::~Tier() { stop(); }

// The compilation before it, if any, has ended.
void Tier::begin() {
  stop();
  run_ = std::make_shared<Run>();
}

void Tier::compile_now(const CompilerSettings& settings, Host& host) {
  while (state() == State::Compiling) wait(host);
  const State before = state();
  if (before == State::Ready) return;
  begin();
  const std::shared_ptr<Run> run = run_;
  try {
    run->modules = compile(*code_, settings, host);
  } catch (const CompileError&) {
    run->end(before);
    if (before == State::Failed) return;  // which was said
    throw;
  } catch (...) {
    run->end(before);
    throw;
  }
  run->end(State::Ready);
}

void Tier::compile_in_background(CompilerSettings settings) {
  if (state() != State::Waiting || !Run::all().admits()) return;
  begin();
  Run::all().add(run_);
  try {
    run_->thread = std::thread([&run = *run_, &code = *code_, settings = std::move(settings)] {
      run.in_background(code, settings);
    });
  } catch (const std::system_error& error) {
    run_->end(State::Failed);
    log().warn("emitted code could not be compiled: there is no thread for it: {}", error.what());
  }
}

void Tier::wait(Host& host) const {
  const std::shared_ptr<Run> run = run_;
  host.leave();
  run->wait_a_while();
  host.enter();
  if (host.interrupted())
    throw Error(ErrorKind::Interrupted, "the wait for emitted code was interrupted.");
}

void Tier::stop() {
  if (run_ == nullptr) return;
  if (run_->process == ::getpid()) {
    run_->stop.request_stop();
    run_->join();
    return;
  }
  // The thread did not come along into this process. It can be neither joined nor detached, since
  // another may have got its name, and what it was about may be half done.
  static auto* lost = new std::vector<std::shared_ptr<Run>>;
  lost->push_back(std::move(run_));
}

void Tier::stop_all(Host& host) {
  const std::vector<std::shared_ptr<Run>> runs = Run::all().close();
  host.leave();
  for (const std::shared_ptr<Run>& run : runs) run->stop.request_stop();
  for (const std::shared_ptr<Run>& run : runs) run->join();
  host.enter();
}

Tier::State Tier::state() const {
  if (run_ == nullptr) return State::Waiting;
  const State state = run_->state.load(std::memory_order_acquire);
  return state == State::Compiling && run_->process != ::getpid() ? State::Waiting : state;
}

std::shared_ptr<const NativeCode> Tier::ready() {
  if (state() != State::Ready) return nullptr;
  if (!is_loaded_) {
    run_->join();
    auto modules = std::make_shared<std::vector<ModulePtr>>(run_->modules);
    code_->load(modules, [&](std::size_t module, const std::string& name) {
      return (*modules)[module]->symbol(name.c_str());
    });
    is_loaded_ = true;
  }
  return code_;
}

}  // namespace thunkvm
