// tier.h: a function's emitted code on its way from source to something that runs.
#pragma once

#include "linkers/codegen/emitted_code.h"
#include "linkers/compiler/compiler.h"

#include <memory>

namespace thunkvm {

/// Compiles the emitted code of one program, at once or in the background. Until it is there, and
/// if it cannot be compiled, the program runs on its kernels alone.
///
/// For threads that take turns under the host's lock: where a member waits it lets the host go, and
/// another thread may come in. What runs in the background touches nothing of the tier. A process
/// that was forked meanwhile has not got the thread along, and begins anew.
class Tier {
 public:
  enum class State : std::uint8_t { Waiting, Compiling, Ready, Failed };

  explicit Tier(std::shared_ptr<EmittedCode> code);
  ~Tier();
  Tier(const Tier&) = delete;
  Tier& operator=(const Tier&) = delete;

  /// Returns when it is ready or has failed, whoever it is that compiles it. Throws CompileError,
  /// after which it is waiting again, and Error(Interrupted) where the host says so. What failed in
  /// the background is tried again, and stays as it was if it fails again.
  void compile_now(const CompilerSettings& settings, Host& host);
  /// Returns at once. A failure is logged, once where there is no compiler. Does nothing if it is
  /// compiled already, or being compiled, or after `stop_all`.
  void compile_in_background(CompilerSettings settings);
  /// Stops the compiler in the background and waits for the end of it. It may log until then: the
  /// caller lets go of locks that this takes.
  void stop();
  /// The same for all tiers, and for good: before the process ends. The host is left meanwhile.
  static void stop_all(Host& host);

  State state() const;
  /// Null unless it is ready. Throws Error if a module is not what its source says.
  std::shared_ptr<const NativeCode> ready();
  const EmittedCode& code() const { return *code_; }

 private:
  struct Run;
  void begin();
  void wait(Host& host) const;

  std::shared_ptr<EmittedCode> code_;
  std::shared_ptr<Run> run_;  ///< the latest compilation; null before the first
  bool is_loaded_ = false;
};

}  // namespace thunkvm
