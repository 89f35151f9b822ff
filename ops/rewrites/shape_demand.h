// shape_demand.h: the values that are computed anyway when their lengths are asked for, or when
// another node runs.
#pragma once

#include "ops/graph/graph.h"
#include "ops/graph/node_index.h"
#include "ops/graph/regions.h"

#include <cstdint>
#include <span>
#include <vector>

namespace thunkvm {

/// The nodes that demand the values of a graph, and those that ask for their lengths alone.
///
/// One walk from the roots down, as placement's, over the same regions. It knows fewer demands than
/// there are (inputs of Ops that may be lazy are demanded by nobody), and more questions for
/// lengths. So `is_there` is never wrong when it is true.
///
/// Linear; nothing of the host is called.
class ShapeDemand {
 public:
  /// `nodes`: the graph of `roots`, in topological order.
  ShapeDemand(std::span<const Variable> roots, const NodeIndex& nodes);

  /// True if the value is computed in every call in which a node asks for its lengths, even if that
  /// demanded nothing. Values are numbered by `value`.
  bool is_there(std::uint32_t value) const { return is_there_[value] != 0; }
  /// True if `value` is computed in every call in which node i runs, even if that demanded nothing.
  bool is_there_with(std::uint32_t value, std::size_t i);
  /// The number of output 0 of node i; those of the others follow.
  std::uint32_t first_value(std::size_t node) const { return first_value_[node]; }

 private:
  struct Use {
    Region region;
    std::uint32_t next;
  };
  std::uint32_t value(const Variable& v) const {
    return first_value_[nodes_.of(*v.node())] + v.index();
  }
  void demand(const Variable& v, Region region);
  void reach(const Variable& v, Region region) { widen(reached_[value(v)], region); }
  void use_shape(const Variable& v, Region region) { widen(shape_only_[value(v)], region); }
  void widen(Region& all, Region region);
  void collect(std::uint32_t value);
  bool is_there_in(std::uint32_t value, Region region);
  void assign(std::uint32_t first, std::uint32_t last);
  void visit(Apply& node, std::uint32_t first, std::uint32_t last);
  void visit_conditional(Apply& node, const Conditional& conditional, std::uint32_t first);
  Region entered(RegionTree::Cover cover, std::uint32_t owner);
  void use_shapes_of_inputs(Apply& node, std::uint32_t first, std::uint32_t last);

  const NodeIndex& nodes_;
  RegionTree regions_;
  std::vector<std::uint32_t> first_value_;  // by node; one more at the end
  std::vector<std::uint32_t> first_use_;    // by value, into uses_: its certain demands
  std::vector<Use> uses_;
  std::vector<Region> reached_;     // by value: a region that holds all demands of it; kNone: none
  std::vector<Region> shape_only_;  // by value: likewise of the nodes that ask for its lengths
  std::vector<std::uint8_t> is_there_;  // by value
  std::vector<Region> demands_;         // scratch
};

}  // namespace thunkvm
