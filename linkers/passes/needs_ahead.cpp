#include "linkers/passes/needs_ahead.h"

#include "linkers/passes/limits.h"

#include <algorithm>
#include <span>

namespace thunkvm {
namespace {

/// Whether what comes before is not to be moved behind it, nor what comes after in front of it.
bool is_border(const Statement& s) {
  return s.kind == Statement::Kind::Branch || s.kind == Statement::Kind::End ||
         s.kind == Statement::Kind::Loop || s.kind == Statement::Kind::Again ||
         (s.kind == Statement::Kind::Move && s.node == kNone);
}
bool is_request(const Statement& s) {
  return s.kind == Statement::Kind::Need || s.kind == Statement::Kind::Demand;
}

/// Marks the Needs that stand before a Run, with nothing but requests between.
void find_needs_of_runs(std::span<const Statement> stretch, std::vector<bool>& found) {
  found.assign(stretch.size(), false);
  bool of_run = false;
  for (std::size_t i = stretch.size(); i-- > 0;) {
    if (!is_request(stretch[i])) of_run = stretch[i].kind == Statement::Kind::Run;
    found[i] = of_run && stretch[i].kind == Statement::Kind::Need;
  }
}

}  // namespace

void run_needs_ahead(Schedule& schedule) {
  if (schedule.memos.empty()) return;
  std::vector<Statement>& all = schedule.statements;
  std::vector<bool> of_run;
  std::vector<Statement> needs, others;
  for (std::size_t begin = 0; begin < all.size();) {
    std::size_t end = begin;
    int n_thunks = 0;
    while (end < all.size() && n_thunks < kNeedsTogether && !is_border(all[end])) {
      n_thunks += !is_request(all[end]);
      ++end;
    }
    const std::span stretch(all.data() + begin, end - begin);
    find_needs_of_runs(stretch, of_run);
    needs.clear();
    others.clear();
    for (std::size_t i = 0; i < stretch.size(); ++i)
      (of_run[i] ? needs : others).push_back(stretch[i]);
    // What an entered block or a branch before it lets go of goes first.
    const auto ends = std::ranges::find_if(others, [](const Statement& s) {
      return s.kind != Statement::Kind::Retire && s.kind != Statement::Kind::Release;
    });
    auto to = std::copy(others.begin(), ends, stretch.begin());
    to = std::copy(needs.begin(), needs.end(), to);
    std::copy(ends, others.end(), to);
    begin = std::max(end, begin + 1);
  }
}

}  // namespace thunkvm
