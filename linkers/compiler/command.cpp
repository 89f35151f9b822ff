#include "linkers/compiler/command.h"

#include "linkers/compiler/file.h"
#include "linkers/compiler/limits.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <optional>
#include <thread>

namespace thunkvm {
namespace {

using Clock = std::chrono::steady_clock;
using End = CommandResult::End;
using std::chrono::milliseconds;

struct Pipe {
  File read, write;

  bool open() {
    std::array<int, 2> ends{-1, -1};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) return false;
    read = File(ends[0]);
    write = File(ends[1]);
    // Only our end: the program's own may block.
    return read && write && fcntl(read.get(), F_SETFL, O_NONBLOCK) == 0;
  }
};

// Takes what there is, or a good part of it: who writes without end must not keep us from looking
// at the clock. Lets go of the pipe at its end.
void drain(File& pipe, std::string& text, std::size_t most) {
  std::array<char, kReadAtOnce> block;
  for (int turn = 0; pipe && turn < kReadsInTurn; ++turn) {
    const ssize_t got = read(pipe.get(), block.data(), block.size());
    if (got > 0) {
      text.append(block.data(), std::min(static_cast<std::size_t>(got), most - text.size()));
    } else if (got == 0 || (errno != EAGAIN && errno != EINTR)) {
      pipe.close();
    } else if (errno == EAGAIN) {
      return;
    }
  }
}

// A running program. Its process is waited for, whatever happens.
class Child {
 public:
  Child(const std::vector<std::string>& arguments, const std::vector<std::string>& environment,
        const File& input, const Pipe& output, const Pipe& errors) {
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    // The host may have closed its own standard files, so these may be among ours. They were opened
    // in this order, lowest number first, so none overwrites a later one.
    posix_spawn_file_actions_adddup2(&files, input.get(), 0);
    posix_spawn_file_actions_adddup2(&files, output.write.get(), 1);
    posix_spawn_file_actions_adddup2(&files, errors.write.get(), 2);
#if __GLIBC_PREREQ(2, 34)
    posix_spawn_file_actions_addclosefrom_np(&files, 3);  // what the host forgot to mark
#endif
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);  // an ignored SIGCHLD would be inherited
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(
        &attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);

    const auto pointers = [](const std::vector<std::string>& words) {
      std::vector<char*> list;
      for (const std::string& word : words) list.push_back(const_cast<char*>(word.c_str()));
      list.push_back(nullptr);
      return list;
    };
    const std::vector<char*> argv = pointers(arguments), envp = pointers(environment);
    error_ = posix_spawn(&pid_, argv[0], &files, &attributes, argv.data(), envp.data());
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    if (error_ == 0) handle_ = File(static_cast<int>(syscall(SYS_pidfd_open, pid_, 0)));
  }
  ~Child() {
    if (error_ != 0 || ended_) return;
    kill_group();
    wait_for_end(0);
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  int error() const { return error_; }
  /// Becomes readable when it ends; -1 where the system has no such thing.
  int handle() const { return handle_.get(); }
  void kill_group() const { kill(-pid_, SIGKILL); }

  /// True once it has ended; waits for that unless `options` has WNOHANG.
  bool wait_for_end(int options) {
    siginfo_t info{};
    int done;
    do {
      // It is left to be reaped, so that its process group is its own until we are done with it.
      done = waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOWAIT | options);
    } while (done != 0 && errno == EINTR);
    if (done == 0 && info.si_pid == 0) return false;  // still running
    ended_ = true;
    if (done != 0) return true;  // reaped already: the host ignores SIGCHLD, or waits for any child
    status_ = info;
    if (info.si_code != CLD_EXITED) kill_group();  // what it left behind
    while (waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED) != 0 && errno == EINTR) {
    }
    return true;
  }

  void report(CommandResult& result) const {
    result.end = !status_                         ? End::Unknown
                 : status_->si_code == CLD_EXITED ? End::Exited
                                                  : End::Killed;
    result.code = status_ ? status_->si_status : 0;
  }

 private:
  pid_t pid_ = -1;
  int error_ = 0;
  bool ended_ = false;
  File handle_;
  std::optional<siginfo_t> status_;
};

}  // namespace

bool CommandResult::lacked_something() const {
  switch (end) {
    case End::NotStarted: return is_shortage(code);
    case End::Killed: return code == SIGKILL;  // not by us: by a system that is out of memory
    case End::Exited: return code != 0 && tells_of_shortage(errors);
    default: return false;
  }
}

std::string CommandResult::how() const {
  switch (end) {
    case End::NotStarted: return "not started: " + error_text(code);
    case End::Exited: return "exit status " + std::to_string(code);
    case End::Killed:
      return "killed by signal " + std::to_string(code) + " (" + strsignal(code) + ")";
    case End::Unknown: return "exit status unknown";
    case End::TimedOut: return "timed out";
    case End::Stopped: break;
  }
  return "stopped";
}

namespace {

CommandResult run_once(const std::vector<std::string>& arguments,
                       const std::vector<std::string>& environment, std::string_view input,
                       milliseconds timeout, const std::stop_token& stop) {
  CommandResult result;
  const Clock::time_point deadline = Clock::now() + timeout;
  // A file in memory rather than a pipe: nothing to feed, and nothing that breaks.
  const File source = memory_file("input", input);
  const File wake(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  Pipe output, errors;
  if (!source || !wake || !output.open() || !errors.open()) {
    result.code = errno;
    return result;
  }
  Child child(arguments, environment, source, output, errors);
  if (child.error() != 0) {
    result.code = child.error();
    return result;
  }
  output.write.close();
  errors.write.close();
  const std::stop_callback on_stop(stop, [&] { eventfd_write(wake.get(), 1); });

  bool ended = false;
  while (!ended) {
    // A pipe that was closed is -1, which poll skips; a program may outlive its output.
    std::array<pollfd, 4> polled{pollfd{output.read.get(), POLLIN, 0},
                                 pollfd{errors.read.get(), POLLIN, 0},
                                 pollfd{child.handle(), POLLIN, 0}, pollfd{wake.get(), POLLIN, 0}};
    const auto left = std::chrono::ceil<milliseconds>(deadline - Clock::now());
    if (left <= milliseconds{0} || stop.stop_requested()) {
      child.kill_group();
      child.wait_for_end(0);
      result.end = stop.stop_requested() ? End::Stopped : End::TimedOut;
      break;
    }
    const milliseconds pause =
        child.handle() < 0 ? std::min(left, kLook) : std::min(left, milliseconds{1 << 30});
    poll(polled.data(), polled.size(), static_cast<int>(pause.count()));
    drain(output.read, result.output, kMostOutput);
    drain(errors.read, result.errors, kMostErrors);
    ended = (child.handle() < 0 || polled[2].revents != 0) && child.wait_for_end(WNOHANG);
  }
  // What it printed last. Children that it left running may hold the pipes open; they do not count.
  drain(output.read, result.output, kMostOutput);
  drain(errors.read, result.errors, kMostErrors);
  if (ended) child.report(result);
  return result;
}

}  // namespace

std::string join(const std::vector<std::string>& words, char separator) {
  std::string text;
  for (const std::string& word : words) (text += word) += separator;
  if (!text.empty()) text.pop_back();
  return text;
}

CommandResult run_command(const std::vector<std::string>& arguments,
                          const std::vector<std::string>& environment, std::string_view input,
                          milliseconds timeout, std::stop_token stop) {
  for (milliseconds pause{1};; pause *= 2) {
    CommandResult result = run_once(arguments, environment, input, timeout, stop);
    const bool may_start = result.end == End::NotStarted && result.lacked_something();
    if (!may_start || pause > kLongestPause || stop.stop_requested()) return result;
    std::this_thread::sleep_for(pause);
  }
}

}  // namespace thunkvm
