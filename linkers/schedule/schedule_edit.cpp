#include "linkers/schedule/schedule_edit.h"

#include <algorithm>
#include <utility>

namespace thunkvm {

void ScheduleEdit::apply() {
  if (inserted_.empty() && std::ranges::find(erased_, true) == erased_.end()) return;
  std::ranges::stable_sort(inserted_, {}, &Inserted::at);
  const IndexedVector before = std::exchange(schedule_.statements, {});
  IndexedVector<StatementIndex, Statement>& now = schedule_.statements;
  now.reserve(before.size() + inserted_.size());
  // By statement: how many are in front of it and of what was put in front of it.
  IndexedVector<StatementIndex, StatementIndex> ahead;
  ahead.reserve(before.size() + 1);
  auto next = inserted_.cbegin();
  for (const StatementIndex i : before.indices()) {
    ahead.push_back(now.end_index());
    for (; next != inserted_.cend() && next->at == i; ++next) now.push_back(next->statement);
    if (!erased_[i]) now.push_back(before[i]);
  }
  ahead.push_back(now.end_index());
  for (Block& block : schedule_.blocks) {
    block.begin = ahead[block.begin];
    block.end = ahead[block.end];
  }
}

}  // namespace thunkvm
