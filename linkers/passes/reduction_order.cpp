#include "linkers/passes/reduction_order.h"

#include "linkers/schedule/schedule_edit.h"
#include "linkers/schedule/touches.h"
#include "ops/graph/op.h"

#include <algorithm>
#include <ranges>

namespace thunkvm {
namespace {

using Kind = Statement::Kind;

bool is_reduction(const Apply& node) { return node.op()->block_reduction(node).has_value(); }
bool is_elementwise(Apply& node) {
  return node.op()->element_code(node) != nullptr && node.output(0).ndim() > 0;
}

class ReductionOrder {
 public:
  explicit ReductionOrder(Schedule& schedule) : s_(schedule) {}

  void run() && {
    if (!find_tails()) return;
    find_locations();
    reorder();
  }

 private:
  std::size_t n_statements() const { return s_.statements.size(); }

  /// Tails: reductions, and what nothing but tails reads. False if there are no reductions.
  bool find_tails() {
    IndexedVector<ProgramNode, StatementIndex> run_of(s_.nodes.size());
    tail_.resize(n_statements());
    for (const StatementIndex i : s_.statements.indices()) {
      const Statement& s = s_.statements[i];
      if (s.kind != Kind::Run) continue;
      run_of[s.node] = i;
      tail_[i] = is_reduction(*s_.nodes[s.node].node());
    }
    if (std::ranges::count(tail_, true) == 0) return false;

    const Touches touches(s_);
    const auto is_for_tails = [&](std::uint32_t reg) {
      bool is_read = false;
      for (const Touch& touch : touches.of(reg)) {
        if (touch.kind != Touch::Kind::Read) continue;
        if (touch.statement == kNone || !tail_[touch.statement]) return false;
        is_read = true;
      }
      return is_read;
    };
    for (const ProgramNode n :
         s_.nodes.indices() | std::views::reverse)  // readers come later in the graph's order
      if (const StatementIndex i = run_of[n]; i != kNone && !tail_[i])
        tail_[i] = std::ranges::all_of(s_.outputs_of(s_.statements[i]), is_for_tails) &&
                   is_elementwise(*s_.nodes[n].node());
    return true;
  }

  /// Finds the statements in front of which tails, and Needs that these wait for, are to run.
  void find_locations() {
    block_of_ = s_.block_of_statements();
    memo_of_.resize(s_.registers.size(), kNone);
    for (std::uint32_t m = 0; m < s_.memos.size(); ++m)
      for (StatementIndex i = s_.body(m).begin; i < s_.body(m).end; ++i)
        for (const std::uint32_t reg : s_.written_by(s_.statements[i])) memo_of_[reg] = m;
    location_.resize(n_statements(), kNone);
    written_.resize(s_.registers.size(), kNone);
    needed_.resize(s_.memos.size(), kNone);
    for (const StatementIndex i : s_.statements.indices()) {
      const Statement& s = s_.statements[i];
      if (tail_[i]) find_location(i);
      if (s.kind == Kind::Need) needed_[s.index] = i;
      for (const std::uint32_t reg : s_.filled_by(s)) written_[reg] = i;
    }
  }

  void find_location(StatementIndex run) {
    const std::uint32_t block = block_of_[run];
    const StatementIndex begin = s_.blocks[block].begin;
    const auto is_here = [&](StatementIndex i) { return i != kNone && i >= begin; };
    StatementIndex location(0);
    const auto inputs = s_.inputs_of(s_.statements[run]);
    for (const std::uint32_t reg : inputs)
      if (is_here(written_[reg]))
        location = std::max(location, location_behind(writer(reg, block)));
    if (location == 0) return;
    location_[run] = location;
    for (const std::uint32_t reg : inputs) {
      if (is_here(written_[reg]) || memo_of_[reg] == kNone) continue;
      // What a memo body reads was there when the block began: its Need may come as early.
      const StatementIndex need = needed_[memo_of_[reg]];
      if (is_here(need) && need >= location) location_[need] = std::min(location_[need], location);
    }
  }

  /// The statement of a block that wrote a register: of a conditional's value the Branch.
  StatementIndex writer(std::uint32_t reg, std::uint32_t block) {
    StatementIndex& by = written_[reg];
    while (block_of_[by] != block) by = s_.at(s_.branches[s_.blocks[block_of_[by]].owner]);
    return by;
  }

  /// Behind a statement with its arms.
  StatementIndex location_behind(StatementIndex i) const {
    if (location_[i] != kNone) return location_[i];
    const Statement& s = s_.statements[i];
    return s.kind == Kind::Branch ? s_.after(s_.branches[s.index]) : i + 1;
  }

  /// Needs go first.
  void reorder() {
    ScheduleEdit edit(s_);
    for (const Kind kind : {Kind::Need, Kind::Run})
      for (const StatementIndex i : s_.statements.indices())
        if (location_[i] != kNone && s_.statements[i].kind == kind) edit.move(i, location_[i]);
    edit.apply();
  }

  Schedule& s_;
  // By statement.
  IndexedVector<StatementIndex, bool> tail_;
  IndexedVector<StatementIndex, std::uint32_t> block_of_;
  IndexedVector<StatementIndex, StatementIndex>
      location_;  // the statement in front of which it runs; kNone: stays
  // By register and memo body: the last statement so far that writes or needs it.
  std::vector<StatementIndex> written_, needed_;
  std::vector<std::uint32_t> memo_of_;  // by register: the memo body that computes it
};

}  // namespace

void run_reductions_early(Schedule& schedule) { ReductionOrder(schedule).run(); }

}  // namespace thunkvm
