// toolchain.h: the compiler of the machine, and its target.
#pragma once

#include "linkers/compiler/compile_error.h"
#include "linkers/compiler/settings.h"

#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace thunkvm {

/// A compiler of C or C++ that speaks gcc's language and is there, or the reason why there is none.
struct Toolchain {
  Language language = Language::C;
  std::vector<std::string> command;  ///< its words; the first is an absolute path
  std::vector<std::string> flags;    ///< those of the settings that it knows
  std::string macros;                ///< its macros with these flags: "#define NAME VALUE" lines
  std::string identity;              ///< SHA-256 of all this: equal if the same code comes out
  std::string found;                 ///< SHA-256 of its files and the settings
  CompileFault fault = CompileFault::NoCompiler;
  std::string problem;  ///< why it cannot be used, as a sentence; empty if it can

  bool usable() const { return problem.empty(); }
  /// "C" or "C++".
  std::string language_name() const { return language == Language::C ? "C" : "C++"; }
  /// "the C compiler /usr/bin/gcc": the first word of its command.
  std::string title() const { return "the " + language_name() + " compiler " + command[0]; }
  /// Its command and its flags.
  std::vector<std::string> words() const;
  /// The value of a predefined macro, such as "__AVX512F__"; empty if it has none.
  std::string_view macro(std::string_view name) const;
  /// "gcc 12.2.0", "clang 14.0.6".
  std::string version() const;
};

/// The toolchain that the settings name, or find. Never null, and throws nothing on account of the
/// compiler: look at `problem`. Throws CompileError if it was stopped, or for want of something
/// that the system may have again (Shortage). Costs a few microseconds: the compiler is asked once
/// for each file (path, size, time), flags and processor, and the answer is kept in the cache
/// directory too.
std::shared_ptr<const Toolchain> find_toolchain(const CompilerSettings& settings,
                                                std::stop_token stop = {});

/// The same if this process has asked for it before, or the settings name no program; else null,
/// and nothing is asked.
std::shared_ptr<const Toolchain> known_toolchain(const CompilerSettings& settings);

/// Remembers that the toolchain compiles nothing that can be loaded, until its files or the
/// settings change.
void mark_broken(const Toolchain& toolchain, const std::string& problem);

/// The environment that it runs in: that of the settings, with messages in English, without
/// libraries that are preloaded into this process, and with its temporary files in `directory`.
std::vector<std::string> compiler_environment(const CompilerSettings& settings,
                                              const std::string& directory);

}  // namespace thunkvm
