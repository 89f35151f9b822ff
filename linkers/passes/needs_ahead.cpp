#include "linkers/passes/needs_ahead.h"

#include "linkers/passes/limits.h"
#include "linkers/schedule/schedule_edit.h"

#include <vector>

namespace thunkvm {
namespace {

/// Whether what comes before is not to be moved behind it, nor what comes after in front of it.
bool is_border(const Statement& s) {
  return rule_of(s.kind).is_border || (s.kind == Statement::Kind::Move && s.node == kNone);
}
bool is_request(const Statement& s) { return rule_of(s.kind).enters && !is_border(s); }

}  // namespace

void run_needs_ahead(Schedule& schedule) {
  using Kind = Statement::Kind;
  if (schedule.memos.empty()) return;
  const IndexedVector<StatementIndex, Statement>& all = schedule.statements;
  ScheduleEdit edit(schedule);
  StatementIndex first;        // of the stretch, behind what a block or a branch before it lets go
  StatementIndex requests(0);  // where those begin that nothing else has followed yet
  int n_thunks = 0;            // of the stretch
  for (const StatementIndex i : all.indices()) {
    if (is_request(all[i])) continue;
    for (; requests < i; ++requests) {
      const bool is_of_run = all[i].kind == Kind::Run && all[requests].kind == Kind::Need;
      if (is_of_run && first != kNone) edit.move(requests, first);
      if (!is_of_run && first == kNone) first = requests;
    }
    ++requests;
    if (is_border(all[i]) || ++n_thunks == kNeedsTogether) {
      first = kNone;
      n_thunks = 0;
    } else if (first == kNone && all[i].kind != Kind::Retire && all[i].kind != Kind::Release) {
      first = i;
    }
  }
  edit.apply();
}

}  // namespace thunkvm
