// index_maps.h: the nodes of a segment that say where elements lie, while loops are put together.
//
// Such a node waits until a loop reads it, and is then a member of that. Where other code reads it
// too, or nobody could do without it, its kernel runs: that is known to all later rounds. Which
// loop may have it as a member, the rule of its kind says (IndexMap::rule). A rematerialised view
// (Plan::rematerialised_view) is a member of every loop that reads it, in any segment.
#pragma once

#include "linkers/codegen/plan/plan.h"
#include "ops/graph/index_map.h"

#include <cstdint>
#include <functional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace thunkvm {

class IndexMaps {
 public:
  explicit IndexMaps(const Plan& plan) : plan_(plan) {}

  /// A round begins: nothing waits.
  void begin();
  /// True if this step was given up in an earlier round, or in this one.
  bool is_kernel(std::uint32_t step) const { return kernels_.contains(step); }
  std::size_t n_kernels() const { return kernels_.size(); }
  /// From the next round on its kernel runs.
  void give_up(std::uint32_t step) { kernels_.insert(step); }

  /// Gives up what other steps of [first, end), a segment, than members of loops read, or other
  /// code: its kernel runs in all rounds. In the order from the last step to the first.
  void give_up_escaping(std::uint32_t first, std::uint32_t end);

  /// True if a loop that reads what the step maps could do without its kernel.
  bool may_wait(std::uint32_t step) const;
  /// True if a loop over `ndim` axes may do without it. `is_member`: whether the register is of a
  /// member of that loop; `is_computed`: whether the loop computes elements of it.
  bool suits(std::uint32_t step, int ndim, const std::function<bool(std::uint32_t)>& is_member,
             const std::function<bool(std::uint32_t)>& is_computed) const;
  void wait(std::uint32_t step);
  /// What waits and is read for this step, directly or by way of others.
  std::vector<std::uint32_t> waiting_for(std::uint32_t step) const;
  /// It became a member of a loop.
  void take(std::uint32_t step) { taken_.insert(output(step)); }
  /// Other code than a loop reads the register: what waits for it is given up.
  void refuse(std::uint32_t reg);
  /// What still waits is given up.
  void refuse_rest();

  /// True if the register's value is found in this way, by a step that waits or is a member.
  bool is(std::uint32_t reg, IndexMap::Kind kind) const;

 private:
  /// The step that maps a register's value; kNone if none does.
  std::uint32_t step_of(std::uint32_t reg) const;
  std::uint32_t output(std::uint32_t step) const;
  bool is_number(std::uint32_t step, int input) const;
  bool is_number_view(std::uint32_t reg) const;
  bool is_array(std::uint32_t reg) const;
  bool is_filled(std::uint32_t reg) const;
  int depth_of(std::uint32_t step) const;
  void collect(std::uint32_t reg, std::vector<std::uint32_t>& steps) const;

  const Plan& plan_;
  std::unordered_set<std::uint32_t> kernels_;  // steps
  struct Mapped {
    std::uint32_t step;
    int depth;  // of index maps of index maps
  };
  std::unordered_map<std::uint32_t, Mapped> mapped_;  // by register
  std::unordered_set<std::uint32_t> taken_;           // registers
};

}  // namespace thunkvm
