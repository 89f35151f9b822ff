#include "linkers/user_code/crash_report.h"

#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <memory>
#include <new>

namespace thunkvm {
namespace {

struct Deadly {
  int signal;
  const char* name;
  struct sigaction before;
};

Deadly deadly[] = {{SIGSEGV, "SIGSEGV", {}},
                   {SIGBUS, "SIGBUS", {}},
                   {SIGFPE, "SIGFPE", {}},
                   {SIGILL, "SIGILL", {}},
                   {SIGABRT, "SIGABRT", {}}};

// A handler may read it: no function of the loader's stands behind it.
[[gnu::tls_model("initial-exec")]] thread_local const char* const* running = nullptr;
[[gnu::tls_model("initial-exec")]] thread_local const volatile int* running_at = nullptr;

void say(const char* text) {
  std::size_t left = std::strlen(text);
  while (left != 0) {
    const ssize_t written = write(STDERR_FILENO, text, left);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;
    text += written;
    left -= static_cast<std::size_t>(written);
  }
}

// Nothing but what POSIX allows a handler to call.
void on_signal(int signal, siginfo_t* info, void* context) {
  const int error = errno;
  for (const Deadly& one : deadly) {
    if (one.signal != signal) continue;
    if (running != nullptr) {
      say("thunkvm: ");
      say(one.name);
      say(" in ");
      say(running[*running_at]);
      say("\n");
      running = nullptr;  // once
    }
    if ((one.before.sa_flags & SA_SIGINFO) != 0) {
      errno = error;
      one.before.sa_sigaction(signal, info, context);
    } else if (one.before.sa_handler != SIG_DFL && one.before.sa_handler != SIG_IGN) {
      errno = error;
      one.before.sa_handler(signal);
    } else {
      // It comes once this returns, and ends the process as it would have.
      sigaction(signal, &one.before, nullptr);
      raise(signal);
    }
    break;
  }
  errno = error;
}

// A stack for the handlers of a thread whose own is used up; none where somebody has set one.
class SignalStack {
 public:
  SignalStack() noexcept {
    stack_t before;
    if (sigaltstack(nullptr, &before) != 0 || (before.ss_flags & SS_DISABLE) == 0) return;
    memory_.reset(new (std::nothrow) char[kSignalStack]);
    if (memory_ == nullptr) return;
    const stack_t own = {.ss_sp = memory_.get(), .ss_flags = 0, .ss_size = kSignalStack};
    sigaltstack(&own, nullptr);
  }
  ~SignalStack() {
    stack_t now;
    if (memory_ == nullptr || sigaltstack(nullptr, &now) != 0 || now.ss_sp != memory_.get()) return;
    const stack_t none = {.ss_sp = nullptr, .ss_flags = SS_DISABLE, .ss_size = 0};
    sigaltstack(&none, nullptr);
  }
  SignalStack(const SignalStack&) = delete;
  SignalStack& operator=(const SignalStack&) = delete;

 private:
  static constexpr std::size_t kSignalStack = 64 << 10;
  std::unique_ptr<char[]> memory_;
};

bool set_handlers() {
  struct sigaction ours = {};
  ours.sa_sigaction = on_signal;
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
  sigemptyset(&ours.sa_mask);
  for (Deadly& one : deadly) sigaction(one.signal, &ours, &one.before);
  return true;
}

}  // namespace

CrashReport::CrashReport(const char* const* locations, const volatile int* at) noexcept
    : outer_locations_(running), outer_at_(running_at) {
  [[maybe_unused]] static const bool set = set_handlers();
  [[maybe_unused]] thread_local const SignalStack stack;
  running_at = at;
  running = locations;
}

CrashReport::~CrashReport() {
  running = outer_locations_;
  running_at = outer_at_;
}

}  // namespace thunkvm
