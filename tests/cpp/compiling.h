// compiling.h: what the tests of the compiler driver share: a directory of their own, compilers
// that are scripts, and sources.
#pragma once

#include "linkers/compiler/compiler.h"
#include "linkers/compiler/digest.h"
#include "linkers/compiler/module_store.h"
#include "thunks/log.h"

#include <doctest/doctest.h>
#include <spdlog/sinks/ostream_sink.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stop_token>
#include <string>
#include <utility>

namespace thunkvm {

/// A new directory that goes with this.
class TemporaryDirectory {
 public:
  TemporaryDirectory() { REQUIRE(mkdtemp(path_.data()) != nullptr); }
  ~TemporaryDirectory() { std::filesystem::remove_all(path_); }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }
  const std::string& path() const { return path_; }

 private:
  std::string path_ = (std::filesystem::temp_directory_path() / "thunkvm-test-XXXXXX").string();
};

/// Room for all that a test puts into a cache.
inline constexpr std::uint64_t kRoomy = 1 << 24;

/// The key of a module that is none.
inline std::string key_of(int number) {
  return hexadecimal(sha256_of_fields({std::to_string(number)}));
}

/// What is logged while this lives.
class Logged {
 public:
  Logged() {
    before_.swap(log().sinks());
    log().sinks() = {std::make_shared<spdlog::sinks::ostream_sink_mt>(text_)};
  }
  ~Logged() { log().sinks() = before_; }
  std::string text() const { return text_.str(); }

 private:
  std::ostringstream text_;
  std::vector<spdlog::sink_ptr> before_;
};

inline std::string contents_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

inline void put(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

/// The names in a directory, sorted.
inline std::vector<std::string> names_in(const std::string& directory) {
  std::error_code none;
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(directory, none))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

/// A program that is a shell script; returns its path.
inline std::string make_script(const std::string& path, const std::string& text) {
  put(path, "#!/bin/sh\n" + text + "\n");
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  return path;
}

/// The gcc of the machine, with a cache of the test's own.
inline CompilerSettings settings_in(const TemporaryDirectory& directory) {
  CompilerSettings settings = default_settings();
  settings.command = "gcc";
  settings.cache_directory = directory / "cache";
  return settings;
}

/// A compiler that writes down each of its runs in `directory`, and is then a shell script that may
/// end with `$GCC`, the real one with all arguments; `$OUTPUT` is the file that it has to write.
class ScriptedCompiler {
 public:
  explicit ScriptedCompiler(const TemporaryDirectory& directory, const std::string& script = "$GCC")
      : directory_(directory) {
    rewrite(script);
  }
  void rewrite(const std::string& script) const {
    make_script(path(), "echo \"$@\" >> " + (directory_ / "runs") +
                            "\nfor word; do [ \"$last\" != -o ] || OUTPUT=$word; last=$word; done\n"
                            "real() { gcc \"$@\"; }\n" +
                            replaced(script));
  }
  std::string path() const { return directory_ / "cc"; }
  CompilerSettings settings() const {
    CompilerSettings settings = settings_in(directory_);
    settings.command = path();
    return settings;
  }
  std::size_t runs() const {
    const std::string text = contents_of(directory_ / "runs");
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  }

 private:
  static std::string replaced(std::string script) {
    for (std::size_t at; (at = script.find("$GCC")) != std::string::npos;)
      script.replace(at, 4, "real \"$@\"");
    return script;
  }
  const TemporaryDirectory& directory_;
};

/// `int answer(void)`, which returns `value`.
inline ModuleSource answer_source(int value) {
  return {"int answer(void) { return " + std::to_string(value) + "; }\n", {}, {}};
}

inline int answer(const ModulePtr& module) { return module->function<int()>("answer")(); }

/// The module of a source, whether a compiler had to make it or not.
inline ModulePtr load_module(const ModuleSource& source, const CompilerSettings& settings,
                             std::stop_token stop = {}) {
  return find_module(source, settings, std::move(stop)).module;
}

/// How it goes wrong.
inline CompileError error_of(const ModuleSource& source, const CompilerSettings& settings) {
  try {
    load_module(source, settings);
  } catch (const CompileError& error) {
    return error;
  }
  FAIL("it was compiled");
  return {CompileFault::Rejected, ""};
}

inline bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace thunkvm
