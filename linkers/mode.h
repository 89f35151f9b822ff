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
  std::optional<std::string> name;  ///< none: of a mode that names none
  std::vector<std::string> features;
};
std::span<const Optimizer> optimizers();
/// Those of an optimizer. Throws Error(Value) that lists the names and has the nearest.
std::vector<std::string> features_of(const std::optional<std::string>& optimizer);

/// How a function is linked: `tv.Mode`, which has the same fields.
struct Mode {
  std::string linker = "cvm";
  std::optional<std::string> optimizer = {};
  /// False: intermediates are kept between calls, so that their memory is used again (`_nogc`).
  bool gc = true;
  /// None: when the linker says so.
  std::optional<CompileWhen> compile = {};
  /// In the order of `features()`.
  std::vector<std::string> features = features_of(optimizer);

  bool operator==(const Mode&) const = default;

  /// "cvm", "vm_nogc", "FAST_RUN". Throws Error(Value) that lists the names and has the nearest.
  static Mode named(std::string_view name);
  /// All names that `named` takes.
  static std::vector<std::string> names();
  /// The name by which `named` finds it, or its linker's.
  std::string name() const;
  /// Has these features, and no others. Throws Error(Value) for one that does not exist.
  void set_features(std::span<const std::string> names);
  /// Chains of elementwise nodes, and the reductions that consume them, run as one nest.
  bool fuses() const;
  /// The features that rewrite the graph.
  std::vector<std::string> rewrites() const;
  /// When its C is compiled. Throws Error(Value) for a linker that does not exist, for a `compile`
  /// of one that emits no C, and for a `compile` other than Now of one that runs emitted C alone.
  CompileWhen compiles() const;
};

}  // namespace thunkvm
