// tier.h: a function's emitted code on its way from source to something that runs.
#pragma once

#include "linkers/codegen/emitted_code.h"
#include "linkers/compiler/compiler.h"

#include <atomic>
#include <memory>
#include <string>
#include <thread>

namespace thunkvm {

/// Compiles the emitted code of one program, at once or in the background. Until it is there, and
/// if it cannot be compiled, the program runs on its kernels alone.
///
/// Used by one thread at a time, but for what runs in the background. After a fork the child's
/// tiers begin anew.
class Tier {
 public:
  enum class State : std::uint8_t { Waiting, Compiling, Ready, Failed };

  explicit Tier(std::shared_ptr<EmittedCode> code) : code_(std::move(code)) {}
  /// Stops the compiler and waits for it, for which the caller lets go of locks that logging needs.
  ~Tier() { stop(); }
  Tier(const Tier&) = delete;
  Tier& operator=(const Tier&) = delete;

  /// Throws CompileError, and Error(Interrupted) where the host says so.
  void compile_now(const CompilerSettings& settings, Host& host);
  /// Returns at once. A failure is logged, once where there is no compiler.
  void compile_in_background(CompilerSettings settings);
  /// Waits until what runs in the background has ended; the host is left meanwhile.
  void wait(Host& host);
  void stop();
  /// Stops what runs in the background of all tiers: before the process ends.
  static void stop_all();

  State state() const;
  /// Why it failed; empty unless it did.
  const std::string& failure() const { return failure_; }
  /// Null until it is ready.
  std::shared_ptr<const NativeCode> ready() const {
    return state_.load(std::memory_order_acquire) == State::Ready ? code_ : nullptr;
  }
  const EmittedCode& code() const { return *code_; }

 private:
  void compile(const CompilerSettings& settings, Host& host);

  std::shared_ptr<EmittedCode> code_;
  std::atomic<State> state_{State::Waiting};
  std::string failure_;
  std::thread thread_;
  std::stop_source stop_;
  int process_ = 0;  ///< that the thread runs in
};

}  // namespace thunkvm
