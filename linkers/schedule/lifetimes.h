// lifetimes.h: which branches are joined, and where each value is let go.
#pragma once

#include "linkers/schedule/placement.h"

#include <cstdint>
#include <span>
#include <vector>

namespace thunkvm {

/// Lists of values by slot, each in a chain of one array.
class ValueLists {
 public:
  explicit ValueLists(std::size_t n_slots) : heads_(n_slots, kNoIndex) {}
  void add(std::size_t slot, Value v) {
    links_.push_back({v, heads_[slot]});
    heads_[slot] = static_cast<std::uint32_t>(links_.size() - 1);
  }
  template <class F>
  void each(std::size_t slot, F&& f) const {
    for (std::uint32_t i = heads_[slot]; i != kNoIndex; i = links_[i].next) f(links_[i].value);
  }
  bool empty(std::size_t slot) const { return heads_[slot] == kNoIndex; }

 private:
  struct Link {
    Value value;
    std::uint32_t next;
  };
  std::vector<std::uint32_t> heads_;
  std::vector<Link> links_;
};

/// The decisions that placement leaves open: conditionals of one key that sit in one region become
/// one branch where nothing between them touches what the earlier one defines; and every value that
/// is not kept to the end is retired once, after the last statement of its home region from which
/// it can be touched. Where that is a branch with few arms, the retire moves into the arms: after
/// the last touch there, or to the entry of an arm that does not touch it.
///
/// A lazy thunk whose outputs may not all be computed is let go likewise, after its last demand. In
/// the lists it stands as n_values + its node.
struct Lifetimes {
  std::vector<Value> leader;  ///< by value: the conditional whose branch decides this one too;
                              ///< itself if not joined
  ValueLists after;           ///< by statement (a branch: by its leader): retired after it
  /// By arm slot (`arm_slot` of a conditional + arm): retired at the entry of that arm (slots of
  /// leaders), and after the conditional's value was moved out of that arm.
  ValueLists at_entry, at_exit;
  std::vector<std::uint32_t> arm_slot;  ///< by value
  std::vector<std::uint8_t>
      kept;  ///< by value: outputs, updates and watched values are never retired
};

Lifetimes lifetimes(const FlatGraph& graph, const Placement& placement);

}  // namespace thunkvm
