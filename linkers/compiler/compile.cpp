#include "linkers/compiler/compile.h"

#include "linkers/compiler/command.h"
#include "linkers/compiler/limits.h"
#include "linkers/compiler/precompiled.h"
#include "linkers/compiler/scratch.h"
#include "linkers/compiler/shared_object.h"
#include "thunks/log.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace thunkvm {
namespace {

using std::chrono::milliseconds;
using End = CommandResult::End;

// Compiles wherever a C compiler works at all.
constexpr const char* kTrial =
    "#ifdef __cplusplus\nextern \"C\"\n#endif\nint thunkvm_trial(int x) { return x + 1; }\n";

// One run of the compiler.
struct Attempt {
  CommandResult result;
  std::string image;
  std::string problem;            ///< why the image is none; empty if it is one
  bool lacked_something = false;  ///< what the system may have again the next time

  bool succeeded() const { return problem.empty(); }
  CompileFault fault() const {
    if (result.end == End::TimedOut) return CompileFault::TimedOut;
    if (result.end == End::Stopped) return CompileFault::Stopped;
    return result.may_have_succeeded() ? CompileFault::NotLoadable : CompileFault::Rejected;
  }
};

std::vector<std::string> command_line(const ModuleSource& source, const Toolchain& toolchain,
                                      const std::string& output) {
  std::vector<std::string> words = toolchain.command;
  const auto add = [&](const std::vector<std::string>& more) {
    words.insert(words.end(), more.begin(), more.end());
  };
  add({"-pipe"});
  add(toolchain.flags);
  add(source.flags);
  std::erase_if(words, [&](const std::string& word) {
    return std::find(source.left_out.begin(), source.left_out.end(), word) != source.left_out.end();
  });
  if (toolchain.language == Language::Cxx) {
    add({"-shared", "-x", "c++", "-", "-o", output, "-x", "none"});
    add(source.libraries);
    return words;
  }
  add({"-shared", "-nostdlib", "-x", "c", "-", "-o", output});
  add(source.libraries);
  add({"-lgcc"});  // what the compiler itself calls, such as a division of 128 bits
  return words;
}

Attempt attempt(const CompileTask& task, const ModuleSource& source, const std::string& parent,
                milliseconds timeout) {
  const Scratch scratch(parent);
  const std::string output = scratch.path() + "/module.so";
  Attempt done;
  done.result = run_command(command_line(source, task.toolchain, output),
                            compiler_environment(task.settings, scratch.path()), source.text,
                            timeout, task.stop);
  done.lacked_something = done.result.lacked_something();
  if (!done.result.may_have_succeeded()) {
    done.problem = done.result.how();
    return done;
  }
  // What it wrote may be a pipe, if it wrote it at all.
  const File file(open(output.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  struct stat status;
  const bool is_there = file && fstat(file.get(), &status) == 0;
  std::optional<std::string> image;
  if (is_there && S_ISREG(status.st_mode)) image = read_all(file.get());
  if (!image) {
    done.lacked_something = !is_there && is_shortage(errno);
    done.problem = done.lacked_something ? "what it wrote cannot be read: " + error_text(errno)
                                         : "it wrote no file";
    return done;
  }
  done.problem = shared_object_problem(*image);
  done.image = std::move(*image);
  return done;
}

// Where there is room for temporary files, likely first.
std::string temporary_directory(const CompilerSettings& settings) {
  std::vector<std::string> candidates;
  const std::string own(set_variable(settings.environment, "TMPDIR").value_or(""));
  if (own.starts_with('/')) candidates.push_back(own);
  candidates.insert(candidates.end(), {"/tmp", "/dev/shm", "/var/tmp"});
  for (const std::string& candidate : candidates)
    if (access(candidate.c_str(), W_OK | X_OK) == 0) return candidate;
  throw Error(ErrorKind::Runtime,
              "there is no directory for temporary files: none of TMPDIR, /tmp, /dev/shm and "
              "/var/tmp can be written to.");
}

Attempt attempt_anywhere(const CompileTask& task, const ModuleSource& source) {
  const milliseconds timeout = task.settings.timeout;
  if (task.store) {
    try {
      Attempt done = attempt(task, source, task.store->work_directory(), timeout);
      const bool is_final =
          done.succeeded() || done.result.end == End::TimedOut || done.result.end == End::Stopped;
      if (is_final) return done;
    } catch (const Error& error) {
      log().debug("{}", error.what());  // said to the user where the module is to be kept
    }
  }
  return attempt(task, source, temporary_directory(task.settings), timeout);
}

// The flags that a header is precompiled with have to be those of the module. Two sets of flags
// are worth the room of a header each: those of all modules, and those for a debugger.
bool may_have_header(const std::vector<std::string>& flags) {
  return std::ranges::all_of(flags, [](const std::string& flag) {
    return flag.starts_with("-I") || flag == "-O0" || flag == "-g";
  });
}

Attempt attempt_with_header(const CompileTask& task) {
  const ModuleSource& source = task.source;
  if (source.header.empty()) return attempt_anywhere(task, source);
  if (may_have_header(source.flags) && source.left_out.empty()) {
    const std::string header = precompiled_header(task);
    if (!header.empty()) {
      ModuleSource shorter = source;
      shorter.flags.insert(shorter.flags.end(), {"-include", header});
      Attempt done = attempt_anywhere(task, shorter);
      if (done.succeeded() || done.result.end == End::Stopped) return done;
    }
  }
  // Whatever is wrong with it, the header itself is not to blame for what follows.
  ModuleSource whole = source;
  whole.text = source.header + source.text;
  return attempt_anywhere(task, whole);
}

// The path of the kept source; empty where it cannot be kept.
std::string keep_source(const CompileTask& task) {
  const std::string text = task.source.header + task.source.text;
  const std::string suffix = task.toolchain.language == Language::C ? ".c" : ".cpp";
  if (task.store) {
    try {
      return task.store->write_text("failed/" + task.key + suffix, text);
    } catch (const StoreError& error) {
      log().debug("{}", error.what());
    }
  }
  std::string path = temporary_directory(task.settings) + "/thunkvm-XXXXXX" + suffix;
  const File file(mkostemps(path.data(), static_cast<int>(suffix.size()), O_CLOEXEC));
  return file && write_all(file.get(), text) ? path : std::string();
}

std::string first_lines(const std::string& text) {
  std::string shown;
  std::size_t begin = 0;
  for (int line = 0; line < kShownLines && begin < text.size(); ++line) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    shown += "\n  " + text.substr(begin, end - begin);
    begin = end + 1;
  }
  const auto more =
      begin < text.size()
          ? std::count(text.begin() + static_cast<std::ptrdiff_t>(begin), text.end(), '\n')
          : 0;
  return more == 0 ? shown : shown + "\n  ... (" + std::to_string(more) + " more lines)";
}

std::string what_happened(const Attempt& failed, const CompileTask& task) {
  const std::string compiler = task.toolchain.title();
  if (failed.fault() == CompileFault::TimedOut)
    return compiler + " took longer than " + std::to_string(task.settings.timeout.count()) +
           " ms on a module, and was killed";
  if (failed.fault() == CompileFault::NotLoadable)
    return compiler + " made a module that cannot be loaded: " + failed.problem;
  return compiler + " rejected a module (" + failed.problem + ")";
}

CompileError failure(const Attempt& failed, const CompileTask& task) {
  const std::string path = keep_source(task);
  std::string message =
      what_happened(failed, task) + first_lines(failed.result.errors) +
      "\ncommand: " + join(command_line(task.source, task.toolchain, "module.so"), ' ');
  if (!path.empty()) message += "\nsource: " + path;
  return CompileError(failed.fault(), message, failed.result.errors, path);
}

CompileError shortage(const Attempt& failed, const Toolchain& toolchain) {
  return CompileError(CompileFault::Shortage,
                      "the system lacked something that " + toolchain.title() + " needs (" +
                          failed.problem + "); a module was not compiled" +
                          first_lines(failed.result.errors),
                      failed.result.errors);
}

// Why not even a module of one line comes out; empty if it does.
std::string trial_problem(const CompileTask& task) {
  const Attempt trial = attempt(task, {.text = kTrial, .flags = {}, .libraries = {}},
                                temporary_directory(task.settings),
                                std::min<milliseconds>(task.settings.timeout, kLongestTrial));
  if (trial.result.end == End::Stopped) return {};
  if (trial.lacked_something) throw shortage(trial, task.toolchain);
  const std::string broken = "the " + task.toolchain.language_name() + " compiler " +
                             join(task.toolchain.command, ' ') + " does not work: ";
  if (!trial.succeeded())
    return broken + "of a function of one line it made no module (" + trial.problem + ")" +
           first_lines(trial.result.errors);
  std::string reason = "it has no symbol 'thunkvm_trial'";
  try {
    if (NativeModule("trial", trial.image).find("thunkvm_trial") != nullptr) return {};
  } catch (const CompileError& error) {
    if (error.fault() == CompileFault::Shortage) throw;
    reason = error.what();
  }
  return broken + "what it made of a function of one line is of no use: " + reason;
}

}  // namespace

std::string compile(const CompileTask& task) {
  Attempt done = attempt_with_header(task);
  if (done.succeeded()) return std::move(done.image);
  if (done.fault() == CompileFault::Stopped)
    throw CompileError(CompileFault::Stopped, "the compilation of a module was stopped.");
  if (done.lacked_something) throw shortage(done, task.toolchain);
  if (const std::string problem = trial_problem(task); !problem.empty()) {
    mark_broken(task.toolchain, problem);
    throw CompileError(CompileFault::BrokenCompiler, problem);
  }
  throw failure(done, task);
}

CompileError unloadable(const CompileTask& task, const std::string& reason) {
  Attempt failed;
  failed.result.end = End::Exited;
  failed.problem = reason;
  return failure(failed, task);
}

}  // namespace thunkvm
