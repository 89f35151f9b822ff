// mode.h: the options by which a function is made of its graph: rewrites, linker, intermediates.
#pragma once

#include "linkers/linker_table.h"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace thunkvm {

/// A feature that a mode may have.
struct Feature {
  std::string_view name;
  std::string_view summary;
  bool rewrites = false;  ///< the graph, before it is linked; else the emitter does it
};
/// In the order in which they are applied.
std::span<const Feature> features();

/// The features that a mode begins with.
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
  /// Chains of elementwise nodes, and the reductions that consume them, run as one nest.
  bool fuse = true;
  std::vector<std::string> rewrites = {};

  /// "cvm", "vm_nogc", "FAST_RUN". Throws Error(Value) that lists the names and has the nearest.
  static Mode named(std::string_view name);
  /// Has these features, and no others.
  void set_features(std::span<const std::string_view> names);
  /// When its C is compiled. Throws Error(Value) for a linker that does not exist, for a `compile`
  /// of one that emits no C, and for a `compile` other than Now of one that runs emitted C alone.
  CompileWhen compiles() const;
};

}  // namespace thunkvm
