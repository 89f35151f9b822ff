// crash_report.h: says which Op's C was running when the process dies of a signal.
#pragma once

namespace thunkvm {

/// While one lives, C that a user wrote runs on this thread. Where that dies of a signal (SIGSEGV,
/// SIGBUS, SIGFPE, SIGILL, SIGABRT), `what` is written to stderr after the signal's name, and the
/// handler that was there before goes on. Signals at other times are that handler's alone.
///
/// `what` outlives it: "the C code of Scale (node Scale.0, made at model.py:7)". Costs two stores;
/// the first one of the process sets the handlers.
class CrashReport {
 public:
  explicit CrashReport(const char* what) noexcept;
  ~CrashReport();
  CrashReport(const CrashReport&) = delete;
  CrashReport& operator=(const CrashReport&) = delete;

 private:
  const char* outer_;  // C that runs may call a function, whose nodes are C again
};

}  // namespace thunkvm
