// settings.h: the settings of compiling and of the cache.
#pragma once

#include "linkers/compiler/limits.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace thunkvm {

/// The languages that a compiler is asked for. thunkvm emits `C`: it is linked with the libraries
/// that it names and nothing else. Users write `Cxx`, with headers and the C++ library.
enum class Language { C, Cxx };

struct CompilerSettings {
  Language language = Language::C;
  /// The compiler with arguments of its own, as in `CC`: "gcc", "ccache gcc -m64", "'/a b/clang'".
  /// Empty: the first of gcc, clang and cc that is on the PATH; of g++, clang++ and c++.
  std::string command;
  /// The flags that every module is compiled with, behind the command's own arguments. Vectors come
  /// from the emitter, so -O1 is enough; results do not depend on contractions, on the compiler's
  /// knowledge of the C library (gcc makes a square root of the cosine of an arctangent), or on a
  /// -ffast-math of a command; nobody reads errno or the exception flags.
  std::vector<std::string> flags = {"-std=gnu11",
                                    "-O1",
                                    "-march=native",
                                    "-fPIC",
                                    "-fno-builtin",
                                    "-fno-fast-math",
                                    "-fno-finite-math-only",
                                    "-fno-associative-math",
                                    "-fno-reciprocal-math",
                                    "-fsigned-zeros",
                                    "-fno-math-errno",
                                    "-fno-trapping-math",
                                    "-ffp-contract=off"};
  std::chrono::milliseconds timeout = kCompilerTimeout;  ///< for one run of the compiler
  /// The directory that keeps compiled modules. Empty: none.
  std::string cache_directory;
  /// Bytes that the directory may hold; beyond it the least recently used modules go. 0: nothing
  /// is kept, and nothing is read.
  std::uint64_t cache_size = kCacheSize;
  /// The compiler's environment, as "NAME=value"; the compiler is looked for on its PATH.
  std::vector<std::string> environment;
};

/// The settings of a program; the environment decides those that it leaves open.
struct CompilerOverrides {
  std::optional<std::string> command;
  std::optional<std::string> cxx_command = {};
  std::optional<std::string> cache_directory;
  std::optional<std::uint64_t> cache_size;
  std::optional<std::chrono::milliseconds> timeout;
};

CompilerOverrides compiler_overrides();
void set_compiler_overrides(CompilerOverrides overrides);

/// The overrides over what the process's environment says: the compiler is `THUNKVM_CC`, else `CC`
/// (of C++: `THUNKVM_CXX`, else `CXX`);
/// the cache directory is `THUNKVM_CACHE`, else thunkvm/ in `XDG_CACHE_HOME` or in ~/.cache.
///
/// Copies the environment, so call it while nobody changes that: in a Python process with the GIL
/// held. About 10 us.
CompilerSettings default_settings(Language language = Language::C);

/// The words of a command line, with quotes and backslashes as a POSIX shell reads them, and
/// nothing else that a shell does. Throws Error (Value) if a quote is left open.
std::vector<std::string> split_command(const std::string& command);

/// The value of a variable of an environment ("NAME=value"), if it is set.
std::optional<std::string_view> set_variable(const std::vector<std::string>& environment,
                                             std::string_view name);

}  // namespace thunkvm
