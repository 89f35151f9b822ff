// crash_report.h: says which Op's C was running when the process dies of a signal.
#pragma once

namespace thunkvm {

/// While one lives, C that a user wrote runs on this thread. Where that dies of a signal (SIGSEGV,
/// SIGBUS, SIGFPE, SIGILL, SIGABRT), `locations[*at]` is written to stderr after the signal's name,
/// and the handler that was there before goes on. Signals at other times are that handler's alone.
///
/// Both outlive it; a location is "the C code of Scale (node Scale.0, made at model.py:7)". Costs a
/// few stores; the first one of the process sets the handlers, the first one of a thread a stack
/// for them, unless it has one: its own may be what ran over.
class CrashReport {
 public:
  CrashReport(const char* const* locations, const volatile int* at) noexcept;
  ~CrashReport();
  CrashReport(const CrashReport&) = delete;
  CrashReport& operator=(const CrashReport&) = delete;

 private:
  // C that runs may call a function, whose nodes are C again.
  const char* const* outer_locations_;
  const volatile int* outer_at_;
};

}  // namespace thunkvm
