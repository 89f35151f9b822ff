#include "linkers/compiler/settings.h"

#include "thunks/error.h"

#include <pwd.h>
#include <unistd.h>

#include <cctype>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string_view>
#include <system_error>

namespace thunkvm {

std::optional<std::string_view> set_variable(const std::vector<std::string>& environment,
                                             std::string_view name) {
  for (const std::string& entry : environment)
    if (entry.size() > name.size() && entry.starts_with(name) && entry[name.size()] == '=')
      return std::string_view(entry).substr(name.size() + 1);
  return std::nullopt;
}

namespace {

std::mutex overrides_lock;
CompilerOverrides& overrides_now() {
  static CompilerOverrides overrides;
  return overrides;
}

std::vector<std::string> environment_now() {
  std::vector<std::string> copy;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry)
    copy.emplace_back(*entry);
  return copy;
}

// Set to nothing is as good as not set.
std::string_view variable(const std::vector<std::string>& environment, std::string_view name) {
  return set_variable(environment, name).value_or(std::string_view());
}

std::string home_directory(const std::vector<std::string>& environment) {
  if (const std::string_view home = variable(environment, "HOME"); !home.empty())
    return std::string(home);
  passwd entry{}, *found = nullptr;
  std::vector<char> text(kLongestUser);
  if (getpwuid_r(geteuid(), &entry, text.data(), text.size(), &found) == 0 && found != nullptr)
    return found->pw_dir;
  return {};
}

// A path as a shell means it; a relative one is meant where the process began.
std::string absolute(std::string_view path, const std::vector<std::string>& environment) {
  std::error_code none;
  static const std::string start = std::filesystem::current_path(none).string();
  if (path.empty() || path.starts_with('/')) return std::string(path);
  if (path == "~" || path.starts_with("~/"))
    return home_directory(environment) + std::string(path.substr(1));
  return start + "/" + std::string(path);
}

// The directory specification of freedesktop.org: what is no absolute path is ignored.
std::string cache_directory(const std::vector<std::string>& environment) {
  if (const auto own = set_variable(environment, "THUNKVM_CACHE"))
    return absolute(*own, environment);
  if (const std::string_view xdg = variable(environment, "XDG_CACHE_HOME"); xdg.starts_with('/'))
    return std::string(xdg) + "/thunkvm";
  const std::string home = home_directory(environment);
  return home.starts_with('/') ? home + "/.cache/thunkvm" : std::string();
}

}  // namespace

CompilerOverrides compiler_overrides() {
  const std::lock_guard lock(overrides_lock);
  return overrides_now();
}

void set_compiler_overrides(CompilerOverrides overrides) {
  const std::lock_guard lock(overrides_lock);
  overrides_now() = std::move(overrides);
}

CompilerSettings default_settings(Language language) {
  const CompilerOverrides set = compiler_overrides();
  const bool is_c = language == Language::C;
  CompilerSettings settings;
  settings.language = language;
  // What users write says itself what may be contracted, and may read errno.
  if (!is_c) settings.flags = {"-std=gnu++17", "-O2", "-march=native", "-fPIC", "-w"};
  settings.environment = environment_now();
  std::string_view command = variable(settings.environment, is_c ? "THUNKVM_CC" : "THUNKVM_CXX");
  if (command.empty()) command = variable(settings.environment, is_c ? "CC" : "CXX");
  settings.command = (is_c ? set.command : set.cxx_command).value_or(std::string(command));
  settings.cache_directory =
      set.cache_directory ? *set.cache_directory : cache_directory(settings.environment);
  settings.cache_size = set.cache_size.value_or(settings.cache_size);
  settings.timeout = set.timeout.value_or(settings.timeout);
  return settings;
}

std::vector<std::string> split_command(const std::string& command) {
  std::vector<std::string> words;
  bool in_word = false;
  char quote = 0;
  for (std::size_t i = 0; i < command.size(); ++i) {
    const char c = command[i];
    if (quote == 0 && std::isspace(static_cast<unsigned char>(c)) != 0) {
      in_word = false;
      continue;
    }
    if (!in_word) words.emplace_back();
    in_word = true;
    const bool escapes = c == '\\' && quote != '\'' && i + 1 < command.size() &&
                         (quote == 0 || command[i + 1] == '"' || command[i + 1] == '\\');
    if (escapes) {
      words.back() += command[++i];
    } else if (quote == 0 && (c == '"' || c == '\'')) {
      quote = c;
    } else if (c == quote) {
      quote = 0;
    } else {
      words.back() += c;
    }
  }
  if (quote != 0)
    throw Error(ErrorKind::Value, "the compiler's command " + command + " has a " +
                                      std::string(1, quote) + " that is not closed.");
  return words;
}

}  // namespace thunkvm
