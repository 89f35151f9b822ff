#include "vm/decisions.h"

namespace thunkvm {

std::vector<LoopDecisions> DecisionTally::take_in_loops() {
  std::vector<LoopDecisions> taken;
  for (std::uint32_t branch = 0; branch < in_loops_.size(); ++branch)
    if (!in_loops_[branch].empty()) taken.push_back({branch, std::move(in_loops_[branch])});
  return taken;
}

void DecisionTally::clear() {
  outside_.clear();
  for (std::vector<ArmRun>& runs : in_loops_) runs.clear();
}

}  // namespace thunkvm
