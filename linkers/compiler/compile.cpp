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
    switch (result.end) {
      case End::TimedOut: return CompileFault::TimedOut;
      case End::Stopped: return CompileFault::Stopped;
      default:
        return result.may_have_succeeded() ? CompileFault::NotLoadable : CompileFault::Rejected;
    }
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

Attempt attempt(const ModuleSource& source, const Toolchain& toolchain,
                const CompilerSettings& settings, const std::string& parent, milliseconds timeout,
                std::stop_token stop) {
  const Scratch scratch(parent);
  const std::string output = scratch.path() + "/module.so";
  Attempt done;
  done.result =
      run_command(command_line(source, toolchain, output),
                  compiler_environment(settings, scratch.path()), source.text, timeout, stop);
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
  for (const std::string& entry : settings.environment)
    if (entry.starts_with("TMPDIR=/")) candidates.push_back(entry.substr(7));
  candidates.insert(candidates.end(), {"/tmp", "/dev/shm", "/var/tmp"});
  for (const std::string& candidate : candidates)
    if (access(candidate.c_str(), W_OK | X_OK) == 0) return candidate;
  throw Error(ErrorKind::Runtime,
              "there is no directory for temporary files: none of TMPDIR, /tmp, /dev/shm and "
              "/var/tmp can be written to.");
}

Attempt attempt_anywhere(const ModuleSource& source, const Toolchain& toolchain,
                         const CompilerSettings& settings, const std::optional<ModuleStore>& store,
                         std::stop_token stop) {
  if (store) {
    try {
      Attempt done =
          attempt(source, toolchain, settings, store->work_directory(), settings.timeout, stop);
      const bool is_final =
          done.succeeded() || done.result.end == End::TimedOut || done.result.end == End::Stopped;
      if (is_final) return done;
    } catch (const Error& error) {
      log().debug("{}", error.what());  // said to the user where the module is to be kept
    }
  }
  return attempt(source, toolchain, settings, temporary_directory(settings), settings.timeout,
                 stop);
}

// The flags that a header is precompiled with have to be those of the module. Two sets of flags
// are worth the room of a header each: those of all modules, and those for a debugger.
bool may_have_header(const std::vector<std::string>& flags) {
  return std::ranges::all_of(flags, [](const std::string& flag) {
    return flag.starts_with("-I") || flag == "-O0" || flag == "-g";
  });
}

Attempt attempt_with_header(const ModuleSource& source, const Toolchain& toolchain,
                            const CompilerSettings& settings,
                            const std::optional<ModuleStore>& store, std::stop_token stop) {
  if (source.header.empty()) return attempt_anywhere(source, toolchain, settings, store, stop);
  if (may_have_header(source.flags) && source.left_out.empty()) {
    const std::string header =
        precompiled_header(source.header, source.flags, toolchain, settings, store, stop);
    if (!header.empty()) {
      ModuleSource shorter = source;
      shorter.flags.insert(shorter.flags.end(), {"-include", header});
      Attempt done = attempt_anywhere(shorter, toolchain, settings, store, stop);
      if (done.succeeded() || done.result.end == End::Stopped) return done;
    }
  }
  // Whatever is wrong with it, the header itself is not to blame for what follows.
  ModuleSource whole = source;
  whole.text = source.header + source.text;
  return attempt_anywhere(whole, toolchain, settings, store, stop);
}

// The path of the kept source; empty where it cannot be kept.
std::string keep_source(const std::string& key, const std::string& text, const Toolchain& toolchain,
                        const CompilerSettings& settings, const std::optional<ModuleStore>& store) {
  const std::string suffix = toolchain.language == Language::C ? ".c" : ".cpp";
  if (store) {
    try {
      return store->write_text("failed/" + key + suffix, text);
    } catch (const StoreError& error) {
      log().debug("{}", error.what());
    }
  }
  std::string path = temporary_directory(settings) + "/thunkvm-XXXXXX" + suffix;
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

std::string as_command(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += ' ' + word;
  return text;
}

std::string what_happened(const Attempt& failed, const Toolchain& toolchain,
                          const CompilerSettings& settings) {
  const std::string compiler =
      "the " + std::string(toolchain.language_name()) + " compiler " + toolchain.command[0];
  switch (failed.fault()) {
    case CompileFault::TimedOut:
      return compiler + " took longer than " + std::to_string(settings.timeout.count()) +
             " ms on a module, and was killed";
    case CompileFault::NotLoadable:
      return compiler + " made a module that cannot be loaded: " + failed.problem;
    default: return compiler + " rejected a module (" + failed.problem + ")";
  }
}

CompileError failure(const Attempt& failed, const std::string& key, const ModuleSource& source,
                     const Toolchain& toolchain, const CompilerSettings& settings,
                     const std::optional<ModuleStore>& store) {
  const std::string path =
      keep_source(key, source.header + source.text, toolchain, settings, store);
  std::string message = what_happened(failed, toolchain, settings) +
                        first_lines(failed.result.errors) +
                        "\ncommand:" + as_command(command_line(source, toolchain, "module.so"));
  if (!path.empty()) message += "\nsource: " + path;
  return CompileError(failed.fault(), message, failed.result.errors, path);
}

CompileError shortage(const Attempt& failed, const Toolchain& toolchain) {
  return CompileError(CompileFault::Shortage,
                      "the system lacked something that the " +
                          std::string(toolchain.language_name()) + " compiler " +
                          toolchain.command[0] + " needs (" + failed.problem +
                          "); a module was not compiled" + first_lines(failed.result.errors),
                      failed.result.errors);
}

// Why not even a module of one line comes out; empty if it does.
std::string trial_problem(const Toolchain& toolchain, const CompilerSettings& settings,
                          std::stop_token stop) {
  const Attempt trial =
      attempt({.text = kTrial, .flags = {}, .libraries = {}}, toolchain, settings,
              temporary_directory(settings), std::min(settings.timeout, kLongestTrial), stop);
  if (trial.result.end == End::Stopped) return {};
  if (trial.lacked_something) throw shortage(trial, toolchain);
  if (!trial.succeeded())
    return "the " + std::string(toolchain.language_name()) + " compiler" +
           as_command(toolchain.command) +
           " does not work: of a function of one line it made no module (" + trial.problem + ")" +
           first_lines(trial.result.errors);
  std::string reason = "it has no symbol 'thunkvm_trial'";
  try {
    if (NativeModule("trial", trial.image).find("thunkvm_trial") != nullptr) return {};
  } catch (const CompileError& error) {
    if (error.fault() == CompileFault::Shortage) throw;
    reason = error.what();
  }
  return "the " + std::string(toolchain.language_name()) + " compiler" +
         as_command(toolchain.command) +
         " does not work: what it made of a function of one line is of no use: " + reason;
}

void blame_toolchain(const Toolchain& toolchain, const CompilerSettings& settings,
                     std::stop_token stop) {
  const std::string problem = trial_problem(toolchain, settings, stop);
  if (problem.empty()) return;
  mark_broken(toolchain, problem);
  throw CompileError(CompileFault::BrokenCompiler, problem);
}

}  // namespace

CompileError unusable(const Toolchain& toolchain) {
  return CompileError(toolchain.fault, toolchain.problem);
}

std::string compile(const std::string& key, const ModuleSource& source, const Toolchain& toolchain,
                    const CompilerSettings& settings, const std::optional<ModuleStore>& store,
                    std::stop_token stop) {
  Attempt done = attempt_with_header(source, toolchain, settings, store, stop);
  if (done.succeeded()) return std::move(done.image);
  if (done.fault() == CompileFault::Stopped)
    throw CompileError(CompileFault::Stopped, "the compilation of a module was stopped.");
  if (done.lacked_something) throw shortage(done, toolchain);
  blame_toolchain(toolchain, settings, stop);
  throw failure(done, key, source, toolchain, settings, store);
}

CompileError unloadable(const std::string& key, const ModuleSource& source,
                        const Toolchain& toolchain, const CompilerSettings& settings,
                        const std::optional<ModuleStore>& store, const std::string& reason) {
  Attempt failed;
  failed.result.end = End::Exited;
  failed.problem = reason;
  return failure(failed, key, source, toolchain, settings, store);
}

}  // namespace thunkvm
