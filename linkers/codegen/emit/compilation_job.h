// compilation_job.h: a function's emitted code on its way from source to something that runs.
#pragma once

#include "linkers/codegen/emit/emitted_code.h"
#include "linkers/compiler/compiler.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace thunkvm {

/// What code is emitted from.
struct EmissionSource {
  std::shared_ptr<const Program> program;
  std::shared_ptr<const Schedule> schedule;
  std::shared_ptr<const ShapeFacts> shapes;
  PlanOptions options;
};

/// Emits the C of one program and compiles it, at once or in the background. Until it is there, and
/// if it cannot be compiled, the program runs on its kernels alone.
///
/// For threads that take turns under the host's lock: where a member waits it lets the host go, and
/// another thread may come in. Planning, writing and compiling are done on threads of the compile
/// queue, without the host. A process that was forked meanwhile has not got these along, and begins
/// anew.
class CompilationJob {
 public:
  enum class State : std::uint8_t {
    Waiting,
    Compiling,
    Ready,
    Failed,
    Unneeded,  ///< in the background nothing was compiled, since nothing would be gained
  };

  explicit CompilationJob(EmissionSource source);
  ~CompilationJob();
  CompilationJob(const CompilationJob&) = delete;
  CompilationJob& operator=(const CompilationJob&) = delete;

  /// Returns when it is ready or has failed, whoever it is that compiles it. Throws CompileError,
  /// after which it is what it was before, and Error(Interrupted) where the host says so. What
  /// failed in the background is tried again, and stays as it was if it fails again.
  void compile_now(const CompilerSettings& settings, Host& host);
  /// Returns at once: it is compiled when it is the most urgent one of the process, by its number
  /// of `calls`. Does nothing if it is compiled already, or being compiled, or after `stop_all`.
  /// Where it fails for want of what the system may have again it is waiting again afterwards.
  void compile_in_background(CompilerSettings settings, std::uint64_t calls);
  /// That there were so many calls by now.
  void set_urgency(std::uint64_t calls);
  /// Logs what failed in the background since the last time, once where there is no compiler.
  void report();
  /// Stops what is done in the background and waits for the end of it. It may log until then: the
  /// caller lets go of locks that this takes.
  void stop();
  /// The same for all jobs, and for good: before the process ends. The host is left meanwhile.
  static void stop_all(Host& host);

  State state() const;
  /// What compilations that have ended took.
  struct Cost {
    double in_background = 0;      ///< seconds, from the first step to the last
    std::uint64_t cache_hits = 0;  ///< modules that needed no compiler
  };
  const Cost& cost() const;
  /// Null unless it is ready.
  std::shared_ptr<const NativeCode> ready() const;
  /// The emitted code, which is emitted if it is not there yet.
  const EmittedCode& code(Host& host);

 private:
  class Run;
  bool start(CompilerSettings settings, std::uint64_t urgency, bool background);
  void wait(Run& run, Host& host, bool for_code = false) const;
  std::string explained(const CompileError& error) const;

  const EmissionSource source_;
  std::shared_ptr<EmittedCode> code_;  ///< null before it is emitted, or while a run does that
  std::shared_ptr<Run> run_;           ///< the latest compilation; null before the first
};

/// From which call on a program is compiled in the background. One more for each 400 thunks, at
/// least the second: a compiler takes a million times as long for a thunk as a call does.
std::uint64_t first_compiled_call(const Program& program);

}  // namespace thunkvm
