// compile.h: from a source to a shared object, by the compiler that there is.
#pragma once

#include "linkers/compiler/compiler.h"
#include "linkers/compiler/module_store.h"
#include "linkers/compiler/toolchain.h"

#include <optional>
#include <stop_token>
#include <string>

namespace thunkvm {

/// A source, and all that it is compiled with.
struct CompileTask {
  const std::string& key;
  const ModuleSource& source;
  const Toolchain& toolchain;
  const CompilerSettings& settings;
  const std::optional<ModuleStore>& store;
  std::stop_token stop;
};

/// The shared object of a source, whole and of this process's architecture.
///
/// It is compiled in the store, and if that fails in a temporary directory: a directory that is
/// full or has vanished is no fault of the source's. If it fails there too, and so does a module of
/// one line, the toolchain is marked as broken. If the system lacked something that it may have
/// again, nobody is blamed (Shortage). Otherwise the source is at fault, and is kept under the key,
/// in the store if possible. Throws CompileError.
std::string compile(const CompileTask& task);

/// The error for a source that was compiled to something that cannot be loaded, for that `reason`.
CompileError unloadable(const CompileTask& task, const std::string& reason);

}  // namespace thunkvm
