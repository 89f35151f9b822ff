// compiler.h: from emitted C to loaded native code.
#pragma once

#include "linkers/compiler/compile_error.h"
#include "linkers/compiler/module.h"
#include "linkers/compiler/settings.h"
#include "thunks/host.h"

#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace thunkvm {

/// The source of a module, in one piece. In C it is plain C11 with gcc's extensions, linked with
/// its `libraries` and libgcc, and with nothing else: no C library, no start files. In C++ it may
/// include headers, and is linked as any shared object is.
struct ModuleSource {
  std::string text;
  std::vector<std::string> flags;          ///< beside those of the settings: {"-fopenmp"}
  std::vector<std::string> libraries;      ///< those of its symbols: {"-l:libmvec.so.1"}
  std::vector<std::string> defines = {};   ///< functions that it has to have
  std::vector<std::string> left_out = {};  ///< of all flags: {"-O2"}
  std::string header = {};                 ///< in front of the text; compiled once for many
};

using ModulePtr = std::shared_ptr<const NativeModule>;

struct Toolchain;

/// A module, and a flag: a compiler had to make it.
struct LoadedModule {
  ModulePtr module;
  bool compiled = false;
};

/// The native code of a source: the module that this process has loaded already, else the one of
/// the cache directory, else newly compiled and put there.
///
/// The key is the SHA-256 of the source, the flags, the compiler with its version, and the features
/// of the processor that it compiles for. Several threads, or processes, that want the same one
/// compile it once. Any thread may call this. It holds no lock but that of the one key, and the
/// caller holds none that logging needs (in a Python process: not the GIL). A cache directory that
/// cannot be used is named once in the log, and is not used.
///
/// Throws CompileError. Cost: 20 us if it is loaded, 0.2 ms if it is in the directory, 25 ms and up
/// if it has to be compiled.
LoadedModule find_module(const ModuleSource& source,
                         const CompilerSettings& settings = default_settings(),
                         std::stop_token stop = {});

/// As `find_toolchain`, but leaves the host while the compiler is asked. Throws Error(Interrupted)
/// if the host stops it.
std::shared_ptr<const Toolchain> find_toolchain(const CompilerSettings& settings, Host& host);

/// The native code of many sources, in their order; those that have to be compiled are compiled in
/// parallel, by the queue of the process, in front of jobs that nobody waits for.
///
/// Leaves the host meanwhile, and asks it 20 times a second whether to stop: then throws Error
/// (Interrupted). When one source fails the others are given up, and its CompileError is thrown.
std::vector<ModulePtr> load_modules(std::span<const ModuleSource> sources,
                                    const CompilerSettings& settings, Host& host);

/// The time of a thread that `load_modules` took.
struct LoadingCost {
  double seconds = 0;
  std::uint64_t cache_hits = 0;  ///< modules that needed no compiler
};
/// That of all calls on this thread so far.
const LoadingCost& loading_cost_of_thread();

}  // namespace thunkvm
