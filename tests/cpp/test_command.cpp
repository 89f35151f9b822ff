// test_command.cpp: running other programs, under a host of any habits.
#include "compiling.h"
#include "linkers/compiler/command.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <csignal>

using namespace thunkvm;
using End = CommandResult::End;
using std::chrono::milliseconds;

namespace {

CommandResult shell(const std::string& script, const std::string& input = "",
                    milliseconds timeout = std::chrono::minutes(1)) {
  return run_command({"/bin/sh", "-c", script}, {"PATH=/usr/bin:/bin", "NAME=value"}, input,
                     timeout);
}

}  // namespace

TEST_CASE("a program gets its input and environment, and what it prints comes back") {
  const CommandResult result = shell("cat; echo $NAME >&2; exit 3", "text");
  CHECK(result.end == End::Exited);
  CHECK(result.code == 3);
  CHECK(result.output == "text");
  CHECK(result.errors == "value\n");
  CHECK(result.how() == "exit status 3");
  CHECK_FALSE(result.may_have_succeeded());
}

TEST_CASE("a program that does not exist or is killed says so") {
  CHECK(run_command({"/nowhere"}, {}, "", milliseconds(1000)).how() ==
        "not started: No such file or directory");
  CHECK(shell("kill -9 $$").how() == "killed by signal 9 (Killed)");
}

TEST_CASE("a program that prints without end is killed in time, and its first output kept") {
  const CommandResult result = shell("yes >&2", "", milliseconds(200));
  CHECK(result.end == End::TimedOut);
  CHECK(result.errors.size() == 64 << 10);
  CHECK(result.output.empty());
}

TEST_CASE("a program that reads nothing and writes nothing, and one that reads much") {
  CHECK(shell("exec <&- >&- 2>&-; exit 0", std::string(1 << 20, 'x')).may_have_succeeded());
  CHECK(shell("wc -c", std::string(1 << 20, 'x')).output == "1048576\n");
}

TEST_CASE("a child that a program leaves running is not waited for") {
  const CommandResult result = shell("sleep infinity & echo $!");
  CHECK(result.end == End::Exited);
  CHECK(kill(std::stoi(result.output), SIGKILL) == 0);
}

TEST_CASE("a program gets no file of ours, no blocked signal and none that is ignored") {
  const int ours = open("/dev/null", O_RDONLY);  // not marked to be closed
  sigset_t blocked, before;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &blocked, &before);
  const auto pipe_before = std::signal(SIGPIPE, SIG_IGN);

  const CommandResult files = shell("ls /proc/$$/fd");
  const CommandResult masks = shell("grep -E 'SigBlk|SigIgn' /proc/$$/status | cut -f 2");

  std::signal(SIGPIPE, pipe_before);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  close(ours);
  CHECK(files.output == "0\n1\n2\n");
  // The real-time signals 32 and 33 are the C library's own.
  CHECK(masks.output.size() == 2 * 17);
  CHECK((std::stoull(masks.output.substr(0, 16), nullptr, 16) & 0x7fffffff) == 0);
  CHECK((std::stoull(masks.output.substr(17), nullptr, 16) & 0x7fffffff) == 0);
}

TEST_CASE("programs run while the process reaps all its children") {
  struct sigaction ignore{}, before{};
  ignore.sa_handler = SIG_IGN;
  sigaction(SIGCHLD, &ignore, &before);
  const CommandResult result = shell("echo done; exit 5");
  const CommandResult hung = shell("exec sleep infinity", "", milliseconds(100));
  sigaction(SIGCHLD, &before, nullptr);
  CHECK(result.output == "done\n");
  CHECK(result.end == End::Unknown);
  CHECK(hung.end == End::TimedOut);
}

TEST_CASE("programs run while the standard files of the process are closed") {
  const int input = dup(0), output = dup(1), errors = dup(2);
  close(0);
  close(1);
  close(2);
  const CommandResult result = shell("cat; echo said >&2", "text");
  dup2(input, 0);
  dup2(output, 1);
  dup2(errors, 2);
  for (const int copy : {input, output, errors}) close(copy);
  CHECK(result.output == "text");
  CHECK(result.errors == "said\n");
}
