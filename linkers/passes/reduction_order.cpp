#include "linkers/passes/reduction_order.h"

#include "linkers/schedule/schedule_edit.h"
#include "ops/graph/op.h"

#include <algorithm>

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
  std::uint32_t n_statements() const { return static_cast<std::uint32_t>(s_.statements.size()); }

  /// Tails: reductions, and what nothing but tails reads. False if there are no reductions.
  bool find_tails() {
    std::vector<std::uint32_t> run_of(s_.nodes.size(), kNone);
    std::vector<bool> read(s_.registers.size()), read_by_others(s_.registers.size());
    for (std::uint32_t i = 0; i < n_statements(); ++i) {
      const Statement& s = s_.statements[i];
      if (s.kind == Kind::Run) run_of[s.node] = i;
      if (s.kind == Kind::Move) read_by_others[s.from] = true;
      if (s.kind == Kind::Branch) read_by_others[s_.branches[s.index].selector] = true;
    }
    for (const ScheduledLazy& lazy : s_.lazies)
      for (const std::uint32_t reg : s_.operands_of(lazy)) read_by_others[reg] = true;
    for (const auto* kept : {&s_.outputs, &s_.updates})
      for (const std::uint32_t reg : *kept) read_by_others[reg] = true;

    tail_.resize(n_statements());
    bool any = false;
    for (std::size_t n = s_.nodes.size(); n-- > 0;) {  // readers come later in the graph's order
      if (run_of[n] == kNone) continue;
      const Statement& run = s_.statements[run_of[n]];
      Apply& node = *s_.nodes[n].node();
      const bool reduction = is_reduction(node);
      const auto is_for_tails = [&](std::uint32_t reg) {
        return read[reg] && !read_by_others[reg];
      };
      const bool tail = reduction || (std::ranges::all_of(s_.outputs_of(run), is_for_tails) &&
                                      is_elementwise(node));
      any |= reduction;
      tail_[run_of[n]] = tail;
      for (const std::uint32_t reg : s_.inputs_of(run)) {
        read[reg] = true;
        if (!tail) read_by_others[reg] = true;
      }
    }
    return any;
  }

  /// Finds the statements in front of which tails, and Needs that these wait for, are to run.
  void find_locations() {
    block_of_ = s_.block_of_statements();
    find_memos();
    location_.resize(n_statements(), kNone);
    written_.resize(s_.registers.size(), kNone);
    needed_.resize(s_.memos.size(), kNone);
    decided_.resize(s_.branches.size(), kNone);
    for (std::uint32_t i = 0; i < n_statements(); ++i) {
      const Statement& s = s_.statements[i];
      if (s.kind == Kind::Branch) decided_[s.index] = i;
      if (s.kind == Kind::Need) needed_[s.index] = i;
      if (s.kind == Kind::Move) written_[s.to] = i;
      if (s.kind == Kind::Loop)
        for (const std::uint32_t reg : s_.loops[s.index].left) written_[reg] = i;
      if (s.kind == Kind::Demand) {
        const ScheduledLazy& lazy = s_.lazies[s.index];
        written_[s_.operands_of(lazy)[lazy.n_inputs + s.output]] = i;
      }
      if (s.kind != Kind::Run) continue;
      if (tail_[i]) find_location(i);
      for (const std::uint32_t reg : s_.outputs_of(s)) written_[reg] = i;
    }
  }

  /// By register that a memo body computes, that body.
  void find_memos() {
    memo_of_.resize(s_.registers.size(), kNone);
    for (std::uint32_t m = 0; m < s_.memos.size(); ++m)
      for (std::uint32_t i = s_.body(m).begin; i < s_.body(m).end; ++i) {
        const Statement& s = s_.statements[i];
        if (s.kind == Kind::Move) memo_of_[s.to] = m;
        if (s.kind == Kind::Run)
          for (const std::uint32_t reg : s_.outputs_of(s)) memo_of_[reg] = m;
      }
  }

  void find_location(std::uint32_t run) {
    const std::uint32_t block = block_of_[run], begin = s_.blocks[block].begin;
    const auto is_here = [&](std::uint32_t i) { return i != kNone && i >= begin; };
    std::uint32_t location = 0;
    const auto inputs = s_.inputs_of(s_.statements[run]);
    for (const std::uint32_t reg : inputs)
      if (is_here(written_[reg]))
        location = std::max(location, location_behind(writer(reg, block)));
    if (location == 0) return;
    location_[run] = location;
    for (const std::uint32_t reg : inputs) {
      if (is_here(written_[reg]) || memo_of_[reg] == kNone) continue;
      // What a memo body reads was there when the block began: its Need may come as early.
      const std::uint32_t need = needed_[memo_of_[reg]];
      if (is_here(need) && need >= location) location_[need] = std::min(location_[need], location);
    }
  }

  /// The statement of a block that wrote a register: of a conditional's value the Branch.
  std::uint32_t writer(std::uint32_t reg, std::uint32_t block) {
    std::uint32_t& by = written_[reg];
    while (block_of_[by] != block) by = decided_[s_.blocks[block_of_[by]].owner];
    return by;
  }

  /// Behind a statement with its arms.
  std::uint32_t location_behind(std::uint32_t i) const {
    if (location_[i] != kNone) return location_[i];
    const Statement& s = s_.statements[i];
    return s.kind == Kind::Branch ? s_.after(s_.branches[s.index]) : i + 1;
  }

  /// Needs go first.
  void reorder() {
    ScheduleEdit edit(s_);
    for (const Kind kind : {Kind::Need, Kind::Run})
      for (std::uint32_t i = 0; i < n_statements(); ++i)
        if (location_[i] != kNone && s_.statements[i].kind == kind) edit.move(i, location_[i]);
    edit.apply();
  }

  Schedule& s_;
  // By statement.
  std::vector<bool> tail_;
  std::vector<std::uint32_t> block_of_;
  std::vector<std::uint32_t> location_;  // the statement in front of which it runs; kNone: stays
  // By register, memo body and branch: the last statement so far that writes, needs, decides it.
  std::vector<std::uint32_t> written_, needed_, decided_;
  std::vector<std::uint32_t> memo_of_;  // by register
};

}  // namespace

void run_reductions_early(Schedule& schedule) { ReductionOrder(schedule).run(); }

}  // namespace thunkvm
