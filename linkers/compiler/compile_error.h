// compile_error.h: the errors between a source and a loaded module.
#pragma once

#include "thunks/error.h"

#include <string>

namespace thunkvm {

enum class CompileFault {
  NoCompiler,      ///< none was found
  BrokenCompiler,  ///< there is one, but it cannot compile even the simplest module
  Rejected,        ///< it works, but not on this source
  TimedOut,        ///< it took longer on this source than it may
  NotLoadable,     ///< it compiled this source, but the result cannot be loaded
  Shortage,        ///< the system lacked files, processes, memory or disk: worth another try
  Stopped,         ///< the caller asked to stop
};

/// A module that could not be compiled or loaded. The message is all of it, for people: the fault,
/// the first lines that the compiler printed, the command, and the file of the source.
class CompileError : public Error {
 public:
  CompileError(CompileFault fault, const std::string& message, std::string diagnostics = {},
               std::string source_path = {})
      : Error(fault == CompileFault::Stopped ? ErrorKind::Interrupted : ErrorKind::Runtime,
              message),
        fault_(fault),
        diagnostics_(std::move(diagnostics)),
        source_path_(std::move(source_path)) {}

  CompileFault fault() const { return fault_; }
  /// True if no module can be compiled at all with these settings: there is no compiler, or a
  /// broken one. Another try is of no use.
  bool is_no_compiler() const {
    return fault_ == CompileFault::NoCompiler || fault_ == CompileFault::BrokenCompiler;
  }
  /// The compiler's output, whole up to 64 KiB; lines of the source are `<stdin>:LINE:COLUMN:`.
  const std::string& diagnostics() const { return diagnostics_; }
  /// The file that the source was kept in; empty if it was not kept.
  const std::string& source_path() const { return source_path_; }
  /// The index of the source among several that were compiled together.
  std::size_t index() const { return index_; }
  void set_index(std::size_t index) { index_ = index; }

 private:
  CompileFault fault_;
  std::string diagnostics_;
  std::string source_path_;
  std::size_t index_ = 0;
};

}  // namespace thunkvm
