#include "linkers/compiler/toolchain.h"

#include "linkers/compiler/command.h"
#include "linkers/compiler/digest.h"
#include "linkers/compiler/limits.h"
#include "linkers/compiler/module_store.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <optional>

namespace thunkvm {
namespace {

constexpr const char* kUsual[] = {"gcc", "clang", "cc"};
constexpr const char* kUsualCxx[] = {"g++", "clang++", "c++"};
constexpr const char* kNative = "-march=native";

std::string search_path(const CompilerSettings& settings) {
  return std::string(
      set_variable(settings.environment, "PATH").value_or("/usr/local/bin:/usr/bin:/bin"));
}

bool is_program(const std::string& path) {
  struct stat status;
  return stat(path.c_str(), &status) == 0 && S_ISREG(status.st_mode) &&
         access(path.c_str(), X_OK) == 0;
}

// The file that a shell would run, as an absolute path; empty where there is none.
std::string program(const std::string& name, const std::string& path) {
  std::error_code no_directory;
  const auto absolute = [&](const std::string& file) {
    return is_program(file) ? std::filesystem::absolute(file, no_directory).string()
                            : std::string();
  };
  if (name.find('/') != std::string::npos) return absolute(name);
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find(':', begin), path.size());
    const std::string directory = path.substr(begin, end - begin);
    if (std::string file = absolute((directory.empty() ? "." : directory) + "/" + name);
        !file.empty())
      return file;
    begin = end + 1;
  }
  return {};
}

// The compiler's words with the path of its program, or the reason why there are none.
Toolchain locate(const CompilerSettings& settings, const std::string& path) {
  Toolchain toolchain;
  toolchain.language = settings.language;
  toolchain.flags = settings.flags;
  const bool is_c = settings.language == Language::C;
  if (settings.command.empty()) {
    for (const char* name : is_c ? kUsual : kUsualCxx)
      if (std::string file = program(name, path); !file.empty()) {
        toolchain.command = {std::move(file)};
        return toolchain;
      }
    const std::string name = toolchain.language_name();
    toolchain.problem = "no " + name + " compiler was found: there is no " +
                        (is_c ? "gcc, clang or cc" : "g++, clang++ or c++") + " on the PATH (" +
                        path + "). Install " +
                        (is_c ? "gcc, or set THUNKVM_CC" : "g++, or set THUNKVM_CXX") + " to a " +
                        name + " compiler.";
    return toolchain;
  }
  try {
    toolchain.command = split_command(settings.command);
  } catch (const Error& error) {
    toolchain.problem = error.what();
    return toolchain;
  }
  const std::string name = toolchain.command.empty() ? "" : toolchain.command[0];
  std::string file = program(name, path);
  if (file.empty()) {
    toolchain.problem = "the " + toolchain.language_name() + " compiler '" + settings.command +
                        "' was not found: there is no program '" + name + "'" +
                        (name.find('/') == std::string::npos ? " on the PATH (" + path + ")" : "") +
                        (is_c ? ". Set THUNKVM_CC or CC" : ". Set THUNKVM_CXX or CXX") +
                        " to one, or unset them.";
    return toolchain;
  }
  toolchain.command[0] = std::move(file);
  return toolchain;
}

// Changes when one of the files changes that the words name: "ccache gcc" has two.
std::string stamp(const std::vector<std::string>& command, const std::string& path) {
  std::string text;
  for (const std::string& word : command) {
    if (word.starts_with('-')) continue;
    const std::string file = program(word, path);
    struct stat status;
    if (file.empty() || stat(file.c_str(), &status) != 0) continue;
    text += file;
    for (const auto number :
         {static_cast<long long>(status.st_dev), static_cast<long long>(status.st_ino),
          static_cast<long long>(status.st_size), static_cast<long long>(status.st_mtim.tv_sec),
          static_cast<long long>(status.st_mtim.tv_nsec)})
      text += ' ' + std::to_string(number);
    text += '\n';
  }
  return text;
}

// The same text on each core and in each run. What the system does not support is not in it.
std::string processor_fingerprint() {
  static constexpr std::string_view kSteady[] = {
      "vendor_id",        "cpu family",  "model",    "flags",   "CPU implementer",
      "CPU architecture", "CPU variant", "CPU part", "Features"};
  std::ifstream described("/proc/cpuinfo");
  std::string text;
  for (std::string line; std::getline(described, line) && !line.empty();)
    for (const std::string_view name : kSteady)
      if (line.starts_with(name)) text += line + '\n';
  return text;
}

// Toolchains of this process, by what they were found by.
std::mutex known_lock;
std::map<std::string, std::shared_ptr<const Toolchain>>& known() {
  static auto* toolchains = new std::map<std::string, std::shared_ptr<const Toolchain>>;
  return *toolchains;
}

std::shared_ptr<const Toolchain> remember(Toolchain toolchain) {
  auto made = std::make_shared<const Toolchain>(std::move(toolchain));
  const std::lock_guard lock(known_lock);
  return known()[made->found] = made;
}

// The file that the cache directory remembers it by: a line with the hash of the rest, the flags,
// and the macros.
constexpr const char* kFolder = "compilers/";

bool recall(Toolchain& toolchain, const ModuleStore& store) {
  const std::optional<std::string> text = store.read_text(kFolder + toolchain.found);
  if (!text || text->size() < 66) return false;
  const std::string contents = text->substr(65);
  if (text->substr(0, 64) != hexadecimal(sha256_of_fields({toolchain.found, contents})))
    return false;
  const std::size_t end = contents.find('\n');
  if (contents.substr(0, end) != "native") std::erase(toolchain.flags, kNative);
  toolchain.macros = contents.substr(end + 1);
  return true;
}

void record(const Toolchain& toolchain, const ModuleStore& store) {
  const bool is_native =
      std::find(toolchain.flags.begin(), toolchain.flags.end(), kNative) != toolchain.flags.end();
  const std::string contents = (is_native ? "native\n" : "\n") + toolchain.macros;
  store.write_text(kFolder + toolchain.found,
                   hexadecimal(sha256_of_fields({toolchain.found, contents})) + '\n' + contents);
}

CommandResult print_macros(const Toolchain& toolchain, const CompilerSettings& settings,
                           std::stop_token stop) {
  std::vector<std::string> arguments = toolchain.words();
  const char* const language = toolchain.language == Language::C ? "c" : "c++";
  arguments.insert(arguments.end(), {"-dM", "-E", "-x", language, "-"});
  return run_command(arguments, compiler_environment(settings, ""), "",
                     std::min(settings.timeout, kLongestTrial), stop);
}

// Asks the compiler itself. A usable one has macros then, any other a problem.
void ask(Toolchain& toolchain, const CompilerSettings& settings, std::stop_token stop) {
  CommandResult answer = print_macros(toolchain, settings, stop);
  const bool refused = answer.end == CommandResult::End::Exited && answer.code != 0;
  if (refused && std::erase(toolchain.flags, kNative) != 0)
    answer = print_macros(toolchain, settings, stop);
  if (answer.end == CommandResult::End::Stopped)
    throw CompileError(CompileFault::Stopped, "the search for a C compiler was stopped.");
  if (answer.lacked_something())
    throw CompileError(CompileFault::Shortage,
                       "the system lacked something that the " + toolchain.language_name() +
                           " compiler " + join(toolchain.command, ' ') +
                           " needs to say what it compiles for (" + answer.how() + ").");
  toolchain.macros = std::move(answer.output);
  if (answer.may_have_succeeded() && !toolchain.macro("__GNUC__").empty()) return;
  toolchain.fault = CompileFault::BrokenCompiler;
  toolchain.problem = "the " + toolchain.language_name() + " compiler " +
                      join(toolchain.command, ' ') + " does not work: asked for its macros it ";
  if (!answer.may_have_succeeded())
    toolchain.problem += "ended with " + answer.how();
  else
    toolchain.problem += "printed none of gcc's";
  const std::string said = answer.errors.substr(0, answer.errors.find('\n'));
  toolchain.problem += said.empty() ? "." : ", and printed: " + said;
}

// The language is part of it: one command, "ccache", may be asked for either.
std::string words(const Toolchain& toolchain) {
  return toolchain.language_name() + '\0' + join(toolchain.command, '\0');
}

// The toolchain, but for what its compiler would have to be asked.
Toolchain looked_up(const CompilerSettings& settings) {
  static const std::string processor = processor_fingerprint();
  const std::string path = search_path(settings);
  Toolchain toolchain = locate(settings, path);
  if (toolchain.usable())
    toolchain.found =
        hexadecimal(sha256_of_fields({words(toolchain), join(toolchain.flags, '\0'),
                                      stamp(toolchain.command, path), path, processor}));
  return toolchain;
}

// Null where the compiler has to be asked.
std::shared_ptr<const Toolchain> known_of(const Toolchain& looked_up) {
  if (!looked_up.usable()) return std::make_shared<const Toolchain>(looked_up);
  const std::lock_guard lock(known_lock);
  const auto found = known().find(looked_up.found);
  return found == known().end() ? nullptr : found->second;
}

}  // namespace

std::string_view Toolchain::macro(std::string_view name) const {
  const std::string line = "#define " + std::string(name) + " ";
  std::size_t at = macros.find(line);
  if (at == std::string::npos || (at > 0 && macros[at - 1] != '\n')) return {};
  at += line.size();
  return std::string_view(macros).substr(at, macros.find('\n', at) - at);
}

std::vector<std::string> Toolchain::words() const {
  std::vector<std::string> words = command;
  words.insert(words.end(), flags.begin(), flags.end());
  return words;
}

std::string Toolchain::version() const {
  const auto dotted = [&](const char* name, const char* major, const char* minor,
                          const char* patch) {
    return std::string(name) + " " + std::string(macro(major)) + "." + std::string(macro(minor)) +
           "." + std::string(macro(patch));
  };
  return macro("__clang__").empty()
             ? dotted("gcc", "__GNUC__", "__GNUC_MINOR__", "__GNUC_PATCHLEVEL__")
             : dotted("clang", "__clang_major__", "__clang_minor__", "__clang_patchlevel__");
}

std::shared_ptr<const Toolchain> known_toolchain(const CompilerSettings& settings) {
  return known_of(looked_up(settings));
}

std::shared_ptr<const Toolchain> find_toolchain(const CompilerSettings& settings,
                                                std::stop_token stop) {
  Toolchain toolchain = looked_up(settings);
  if (auto found = known_of(toolchain)) return found;

  const std::optional<ModuleStore> store = open_store(settings);
  if (!store || !recall(toolchain, *store)) {
    ask(toolchain, settings, stop);
    try {
      if (store && toolchain.usable()) record(toolchain, *store);
    } catch (const StoreError&) {
      // Whoever wants a module from there says so.
    }
  }
  toolchain.identity = hexadecimal(
      sha256_of_fields({words(toolchain), join(toolchain.flags, '\0'), toolchain.macros}));
  return remember(std::move(toolchain));
}

void mark_broken(const Toolchain& toolchain, const std::string& problem) {
  Toolchain broken = toolchain;
  broken.fault = CompileFault::BrokenCompiler;
  broken.problem = problem;
  remember(std::move(broken));
}

std::vector<std::string> compiler_environment(const CompilerSettings& settings,
                                              const std::string& directory) {
  std::vector<std::string> environment = {"LC_ALL=C"};
  if (!directory.empty()) environment.push_back("TMPDIR=" + directory);
  for (const std::string& entry : settings.environment)
    if (!entry.starts_with("LC_ALL=") && !entry.starts_with("LANGUAGE=") &&
        !entry.starts_with("LD_PRELOAD=") && (directory.empty() || !entry.starts_with("TMPDIR=")))
      environment.push_back(entry);
  return environment;
}

}  // namespace thunkvm
