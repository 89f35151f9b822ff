#include "linkers/codegen/tier.h"

#include "thunks/log.h"

#include <unistd.h>

#include <mutex>
#include <set>

namespace thunkvm {
namespace {

/// What the compiler's driver asks in the background.
class StopHost final : public Host {
 public:
  explicit StopHost(std::stop_token stop) : stop_(std::move(stop)) {}
  bool interrupted() override { return stop_.stop_requested(); }

 private:
  std::stop_token stop_;
};

// The tiers that have a thread. Leaked: threads may end after static objects.
struct Running {
  std::mutex mutex;
  std::set<Tier*> tiers;
};
Running& running() {
  static auto* running = new Running;
  return *running;
}

bool said_once() {
  static std::atomic<bool> said{false};
  return said.exchange(true);
}

}  // namespace

void Tier::compile(const CompilerSettings& settings, Host& host) {
  std::vector<ModuleSource> sources;
  for (const std::string& text : code_->sources())
    sources.push_back({text, {"-fopenmp-simd"}, {"-lm"}});
  std::vector<ModulePtr> modules;
  try {
    modules = load_modules(sources, settings, host);
  } catch (const CompileError& error) {
    const std::string node = code_->node_of(error.diagnostics());
    if (node.empty()) throw;
    throw CompileError(error.fault(), "the C of node " + node + ": " + error.what(),
                       error.diagnostics(), error.source_path());
  }
  auto kept = std::make_shared<std::vector<ModulePtr>>(std::move(modules));
  code_->load(kept, [&](std::size_t module, const std::string& name) {
    return (*kept)[module]->symbol(name.c_str());
  });
}

void Tier::compile_now(const CompilerSettings& settings, Host& host) {
  compile(settings, host);
  state_.store(State::Ready, std::memory_order_release);
}

void Tier::compile_in_background(CompilerSettings settings) {
  if (state() != State::Waiting) return;
  stop_ = std::stop_source();
  process_ = ::getpid();
  state_.store(State::Compiling, std::memory_order_relaxed);
  {
    const std::lock_guard lock(running().mutex);
    running().tiers.insert(this);
  }
  thread_ = std::thread([this, settings = std::move(settings), token = stop_.get_token()] {
    StopHost host(token);
    State end = State::Ready;
    try {
      compile(settings, host);
    } catch (const CompileError& error) {
      end = State::Failed;
      failure_ = error.what();
      if (error.fault() != CompileFault::Stopped && (!error.is_no_compiler() || !said_once()))
        log().warn("{} Functions run on native kernels and performs instead.", error.what());
    } catch (const std::exception& error) {
      end = State::Failed;
      failure_ = error.what();
      if (!token.stop_requested()) log().warn("emitted code could not be compiled: {}", failure_);
    }
    state_.store(end, std::memory_order_release);
  });
}

Tier::State Tier::state() const {
  const State state = state_.load(std::memory_order_acquire);
  return state == State::Compiling && process_ != ::getpid() ? State::Waiting : state;
}

void Tier::wait(Host& host) {
  if (!thread_.joinable() || process_ != ::getpid()) return;
  host.leave();
  thread_.join();
  host.enter();
  const std::lock_guard lock(running().mutex);
  running().tiers.erase(this);
}

void Tier::stop() {
  if (!thread_.joinable()) return;
  if (process_ != ::getpid()) {
    thread_.detach();  // it did not come along into this process
    return;
  }
  stop_.request_stop();
  thread_.join();
  const std::lock_guard lock(running().mutex);
  running().tiers.erase(this);
}

void Tier::stop_all() {
  std::set<Tier*> tiers;
  {
    const std::lock_guard lock(running().mutex);
    tiers.swap(running().tiers);
  }
  for (Tier* tier : tiers) tier->stop_.request_stop();
  for (Tier* tier : tiers)
    if (tier->thread_.joinable()) tier->thread_.join();
}

}  // namespace thunkvm
