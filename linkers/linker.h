// linker.h: from a graph to a program.
#pragma once

#include "linkers/schedule/schedule.h"
#include "ops/graph/graph.h"
#include "vm/program.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace thunkvm {

/// Gives a node its thunk, or nothing. A linker asks its sources in order.
using ThunkSource = std::function<ThunkCode(const Apply& node)>;

/// The Ops' own kernels (and native lazy thunks).
ThunkCode native_thunk(const Apply& node);

class ShapeFacts;

/// A linked function: the program, and its sources.
struct Linked {
  std::shared_ptr<const Program> program;
  std::shared_ptr<const Schedule> schedule;
  std::shared_ptr<const ShapeFacts> shapes;  ///< for emission; null where no C is emitted
  std::vector<Ref<SharedValue>> shared;      ///< in the order of Program::shared
  std::vector<Ref<SharedValue>> targets;     ///< in the order of Program::updates
  bool verified = false;                     ///< the program was checked

  /// Output 0 of each node that may run.
  const IndexedVector<ProgramNode, Variable>& nodes() const { return schedule->nodes; }
  /// Output 0 of the node that a failure names, which has to name one.
  const Variable& failed_node(const Failure& failure) const {
    return nodes()[ProgramNode(failure.node)];
  }
  /// Calls `visit` with every Variable that this and the program hold, as often as they hold it.
  void each_variable(const std::function<void(const Variable&)>& visit) const;
};

/// Advice about a node that no source has a thunk for, where a linker has none of its own.
inline constexpr std::string_view kDefaultAdvice = "give the Op a perform, or choose another mode";

/// The options of linking.
struct LinkOptions {
  /// true: placement compiles demand away, and values die when nobody can need them any more.
  /// false: every node is a memo body that runs when it is needed (call by need), and values stay
  /// until the call ends. That needs no analysis, so placed programs are tested against it.
  bool placed = true;
  /// `_nogc`: intermediates are kept between calls, so that their memory is used again.
  bool retain_intermediates = false;
  /// Thunks leave their inputs as they are, for tracers: none takes over the memory of a dying
  /// input.
  bool traced = false;
  /// The inputs, by position, whose arguments the program may write to: they die as intermediates
  /// do. Only where values die at all, and thunks may take over what dies.
  std::vector<std::uint32_t> mutable_inputs = {};
  std::vector<ThunkSource> sources = {native_thunk};
  /// C will be emitted from the schedule: arrays are reduced soon after they are computed, and memo
  /// bodies run ahead of their needs, so that more nodes share a nest.
  bool emits = false;
  /// Is given the schedule before it is assembled: for sources of thunks that depend on their
  /// neighbours. It may add inputs to Runs. Null: none.
  std::function<void(Schedule&)> scheduled = {};
  /// Each thunk has an instruction of its own, even if C is emitted.
  bool one_by_one = false;
  /// Advice about a node that no source has a thunk for.
  std::string advice{kDefaultAdvice};
};

/// Throws Error(NotImplemented) naming the Op and node for which no source has a thunk,
/// Error(Value) for an input that the outputs need and that is not given.
Linked link(const FunctionGraph& graph, const LinkOptions& options);

}  // namespace thunkvm
