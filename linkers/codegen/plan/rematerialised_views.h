// rematerialised_views.h: parts of arrays that stay where they are, so that each loop may find
// them.
#pragma once

#include "vm/program.h"

#include <cstdint>
#include <vector>

namespace thunkvm {

class Plan;

/// Which registers hold such a part, which then is computed nowhere.
class RematerialisedViews {
 public:
  RematerialisedViews() = default;
  /// The views that nothing but elementwise nodes reads, of lasting arrays: of those in memory that
  /// are written once, and neither retired nor taken by a move. The plan has found forms and
  /// counted accesses.
  explicit RematerialisedViews(const Plan& plan);

  /// The step whose value in this register is such a view; kNone if none is.
  std::uint32_t step_of(std::uint32_t reg) const { return steps_[reg]; }

 private:
  std::vector<std::uint32_t> steps_;  // by register
};

}  // namespace thunkvm
