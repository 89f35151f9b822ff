// command.h: running another program.
#pragma once

#include <chrono>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace thunkvm {

/// The end of a program, and its output.
struct CommandResult {
  enum class End {
    NotStarted,  ///< `code` is the errno
    Exited,      ///< `code` is the status
    Killed,      ///< `code` is the signal
    Unknown,     ///< it ended, and somebody else of this process took the status
    TimedOut,    ///< it was killed, with its children
    Stopped,     ///< the same
  };
  End end = End::NotStarted;
  int code = 0;
  std::string output;  ///< the first MiB of its standard output
  std::string errors;  ///< the first 64 KiB of its standard error

  /// True unless it is known to have failed.
  bool may_have_succeeded() const {
    return end == End::Unknown || (end == End::Exited && code == 0);
  }
  /// True if it failed for want of something that the system may have again any moment: it could
  /// not be started, was killed by the system, or said so.
  bool lacked_something() const;
  /// "exit status 1", "killed by signal 9 (Killed)".
  std::string how() const;
};

/// Runs a program (an absolute path, then its arguments) with `input` as standard input and
/// `environment` ("NAME=value"), and waits for it; without a shell.
///
/// If the system has no file or process left for it, it is tried again a few times within 60 ms.
///
/// It gets default signal handlers, an empty signal mask, a process group of its own and no file of
/// ours. At the timeout, or when asked to stop, the group is killed. Any thread may call this; a
/// handler of SIGCHLD does not matter.
CommandResult run_command(const std::vector<std::string>& arguments,
                          const std::vector<std::string>& environment, std::string_view input,
                          std::chrono::milliseconds timeout, std::stop_token stop = {});

/// The words as one text.
std::string join(const std::vector<std::string>& words, char separator);

}  // namespace thunkvm
