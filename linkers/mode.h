// mode.h: how a function is made of its graph: which rewrites, which linker, what it keeps.
#pragma once

#include "linkers/linker_table.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace thunkvm {

/// A feature that a mode has or not.
struct Feature {
  std::string_view name;
  std::string_view summary;
  bool rewrites = false;  ///< the graph, before it is linked; else the emitter does it
};
/// In the order in which they are applied.
std::span<const Feature> features();

/// Which features a mode has to begin with.
struct Optimizer {
  std::string_view name;  ///< empty: of a mode that names none
  std::vector<std::string_view> features;
};
std::span<const Optimizer> optimizers();

/// A mode that has a name of its own; the others are called after their linker.
struct NamedMode {
  std::string_view name, linker, optimizer;
};
std::span<const NamedMode> named_modes();

struct Mode {
  std::string linker = "cvm";
  /// Intermediates are kept between calls, so that their memory is used again (`_nogc`).
  bool retain_intermediates = false;
  /// None: when the linker says so.
  std::optional<CompileWhen> compile = {};
  /// Chains of elementwise nodes, and the reductions that consume them, run as one loop.
  bool fuse = true;
  std::vector<std::string> rewrites = {};

  /// "cvm", "vm_nogc", "FAST_RUN". Throws Error(Value) that lists the names and has the nearest.
  static Mode named(std::string_view name);
  /// When its C is compiled. Throws Error(Value) for a linker that does not exist, for one that
  /// emits no C where `compile` says something, and for one that runs emitted C alone where that is
  /// not to be compiled at once.
  CompileWhen compiles() const;
};

}  // namespace thunkvm
