#include "linkers/schedule/schedule_edit.h"

#include <algorithm>
#include <utility>

namespace thunkvm {

void ScheduleEdit::apply() {
  if (inserted_.empty() && std::ranges::find(erased_, true) == erased_.end()) return;
  std::ranges::stable_sort(inserted_, {}, &Inserted::at);
  const std::vector<Statement> before = std::exchange(schedule_.statements, {});
  std::vector<Statement>& now = schedule_.statements;
  now.reserve(before.size() + inserted_.size());
  // By statement: how many are in front of it and of what was put in front of it.
  std::vector<std::uint32_t> ahead;
  ahead.reserve(before.size() + 1);
  auto next = inserted_.cbegin();
  for (std::uint32_t i = 0; i < before.size(); ++i) {
    ahead.push_back(static_cast<std::uint32_t>(now.size()));
    for (; next != inserted_.cend() && next->at == i; ++next) now.push_back(next->statement);
    if (!erased_[i]) now.push_back(before[i]);
  }
  ahead.push_back(static_cast<std::uint32_t>(now.size()));
  for (Block& block : schedule_.blocks) {
    block.begin = ahead[block.begin];
    block.end = ahead[block.end];
  }
}

}  // namespace thunkvm
