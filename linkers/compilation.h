// compilation.h: when a function's C is written and compiled, and the code that its calls run.
#pragma once

#include "linkers/linker.h"
#include "linkers/linker_table.h"
#include "thunks/host.h"
#include "vm/native.h"

#include <atomic>
#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

namespace thunkvm {

class CompileError;
class EmittedCode;

/// The emitted code of one linked program, from its plan to its loaded modules. Until it is there,
/// and if it cannot be compiled, the program runs on its kernels alone.
///
/// For threads that take turns under the host's lock; any thread may ask `ready`, `waits` and
/// `held`. A member that waits leaves the host, and another thread may enter meanwhile. Threads of
/// the compile queue plan, write and compile, without the host. A forked process does not have
/// these threads, and begins anew.
class Compilation {
 public:
  enum class State : std::uint8_t {
    Off,  ///< the mode emits no C
    Waiting,
    Compiling,
    Ready,
    Failed,
    Unneeded,  ///< in the background nothing was compiled, since nothing would be gained
  };

  /// Nothing is written or compiled yet, not even if it is to be Now.
  Compilation(const Linked& linked, CompileWhen when, const PlanOptions& options);
  ~Compilation();
  Compilation(const Compilation&) = delete;
  Compilation& operator=(const Compilation&) = delete;

  /// The code that calls run from now on; null while there is none.
  const NativeCode* ready() const { return ready_.load(std::memory_order_acquire); }
  /// The same, as a pointer that keeps it; to be asked once `ready` has given it.
  const std::shared_ptr<const NativeCode>& held() const { return native_; }
  /// True if `follow` may still change something.
  bool waits() const { return followed_.load(std::memory_order_relaxed); }
  /// For each call while it waits. Changes over to the emitted code once it is there. Until then
  /// has it compiled in the background; the most called program of the process comes first. It does
  /// not wait, except in the first call of a program with loops, if there is a `host`: steps might
  /// run on kernels for long. It throws no error of the compiler. If compiling fails for want of
  /// something that the system may have again, a later call tries again. Throws Error(Interrupted)
  /// if the host says so while it waits.
  void follow(Host* host = nullptr);
  /// Returns when it is ready or has failed, whichever thread compiles it. Does nothing in modes
  /// that emit no C. Throws CompileError, which changes no state, and Error(Interrupted) if the
  /// host says so. A compilation that failed in the background is tried again, and stays failed if
  /// it fails again.
  void compile(Host& host);
  /// Counts as many calls as another one has seen.
  void keep_pace_with(const Compilation& other);
  /// Stops a running compilation, and leaves the host meanwhile. It has to be called before the
  /// destructor, if a compilation may be running.
  void stop(Host& host);
  /// The same for all in the background, and no other begins: before the process ends.
  static void stop_all(Host& host);

  bool emits() const { return when_ != CompileWhen::Never; }
  /// The emitted code, emitted if it is not there yet; null in modes that emit none.
  const EmittedCode* code(Host& host);
  State state() const;
  /// Why it is not compiled, or not yet; empty if it is, is being compiled, or never will be.
  std::string why_not() const;
  /// Seconds that `compile` has taken.
  double waited() const { return waited_; }
  /// Seconds that compiling has taken in the background; and modules that needed no compiler.
  double in_background() const;
  std::uint64_t cache_hits() const;

 private:
  class Run;
  std::shared_ptr<EmittedCode> emitted(const std::stop_token& stop = {}) const;
  bool start(std::uint64_t urgency, bool background);
  void compile_now(Host& host);
  void compile_in_background();
  void report();
  void wait(Run& run, Host& host, bool for_code = false) const;
  void end_run();
  const Run* ended_run() const;
  std::string explained(const CompileError& error) const;
  void change_over();

  const std::shared_ptr<const Program> program_;
  const std::shared_ptr<const Schedule> schedule_;
  const std::shared_ptr<const ShapeFacts> shapes_;
  const CompileWhen when_;
  const PlanOptions options_;
  std::shared_ptr<EmittedCode> code_;  ///< null before it is emitted, and while a run emits it
  std::shared_ptr<Run> run_;           ///< the latest; null before the first
  std::shared_ptr<const NativeCode> native_;
  std::atomic<const NativeCode*> ready_{nullptr};
  std::atomic<bool> followed_;
  std::uint64_t calls_ = 0;     ///< before there was emitted code
  std::uint64_t next_try_ = 0;  ///< the call that has it compiled
  double waited_ = 0;
};

/// "off", "waiting", "compiling", "ready", "failed", "unneeded".
std::string_view name(Compilation::State state);

}  // namespace thunkvm
