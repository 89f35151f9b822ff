// linker_table.h: the linkers by name: the thunks that they choose, their order, and the C that
// they emit.
#pragma once

#include "linkers/codegen/plan/plan_options.h"
#include "linkers/linker.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace thunkvm {

/// When a function's emitted code is compiled.
enum class CompileWhen : std::uint8_t {
  Never,       ///< the interpreter runs kernels and performs
  Background,  ///< after a few calls; the program changes over between two calls
  Now,         ///< before the first call
};
/// "never", "background", "now".
std::string_view name(CompileWhen when);
/// Throws Error(Value) with the three names.
CompileWhen compile_when(std::string_view name);

/// The origins of a node's thunk.
enum class ThunkOrigin : std::uint8_t {
  Kernel,      ///< the Op's native code
  LazyKernel,  ///< the same, of lazy Ops alone: for linkers whose eager nodes are all performs
  UserC,       ///< the C of a user's Op
  Perform,     ///< the host's: NumPy for built-in Ops, a user's own code
};

/// A row of the table. Modes, their errors and the table of modes in the README come from it.
struct LinkerRow {
  std::string_view name;
  /// A description, in the words of the README.
  std::string_view summary;
  /// The origins that a node's thunk is looked for in, in this order.
  std::vector<ThunkOrigin> thunks;
  /// Demand is compiled into branches (LinkOptions::placed); else every node is called by need.
  bool placed = true;
  /// When the C that it emits is compiled, unless a mode says otherwise; none: it emits no C.
  std::optional<CompileWhen> compiles = {};
  /// It runs without its C, too. So the C may be compiled in the background, or never, and is left
  /// out if a tracer is told of each thunk.
  bool runs_without_c = false;
  /// Each node is a C function of its own; else stretches of nodes are, with fused nests.
  bool unfused = false;
  /// Each node is compared with its perform, by an observer of the host.
  bool compared = false;
  /// Advice about a node that it has no thunk for.
  std::string_view advice = kDefaultAdvice;

  bool has(ThunkOrigin origin) const { return std::ranges::find(thunks, origin) != thunks.end(); }
};

/// All of them, in the order in which they are listed to users.
std::span<const LinkerRow> linkers();
/// Throws Error(Value) that lists the names and has the nearest.
const LinkerRow& linker(std::string_view name);

/// Those that emit C, for messages: "'cvm', 'c' and 'c|py'".
std::string emitting_linkers();

/// The thunks that a host has beside the Ops' own kernels; a plain C++ program has none.
struct HostThunks {
  ThunkSource user_c = {}, perform = {};
  /// Is given the schedule before it is assembled. `alone`: no thunk may run another node.
  std::function<void(Schedule&, bool alone)> scheduled = {};
  std::shared_ptr<const void> held = {};  ///< has to live until all thunks are made
};

/// The options of linking and emission that a mode comes to.
struct LinkChoice {
  LinkOptions link;
  bool emits = false;
  PlanOptions emission = {};
};
/// `traced`: a tracer is told of each thunk, so no node is fused with others.
LinkChoice choose_link(const LinkerRow& linker, const HostThunks& thunks, bool retain_intermediates,
                       bool fuse, bool traced);

}  // namespace thunkvm
