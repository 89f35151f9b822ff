// decisions.h: what the branches of a program decide, as conditions.
#pragma once

#include "vm/program.h"
#include "vm/verify/condition.h"

#include <cstdint>
#include <vector>

namespace thunkvm {

/// Branches on one register that decode it alike share their decision.
class Decisions {
 public:
  explicit Decisions(const Program& program);

  /// That `branch` takes `arm`.
  Condition takes(Conditions& conditions, std::uint32_t branch, std::uint32_t arm) const {
    return conditions.takes(first_variable_[branch], program_.branches[branch].n_arms, arm);
  }

 private:
  const Program& program_;
  std::vector<std::uint32_t> first_variable_;  ///< by branch
};

}  // namespace thunkvm
