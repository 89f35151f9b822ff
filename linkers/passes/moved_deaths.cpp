#include "linkers/passes/moved_deaths.h"

#include "linkers/schedule/accesses.h"
#include "linkers/schedule/limits.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace thunkvm {
namespace {

using Kind = Statement::Kind;

/// Calls `f` with each register that a statement reads or writes itself.
template <class F>
void each_register(const Schedule& schedule, const Statement& s, F f) {
  each_access(schedule, s, [&](const Access& access) {
    if (access.kind != Access::Kind::Empty) f(access.reg);
  });
}

/// Whether a memo body or an input of a lazy thunk may run in it.
bool may_enter(const Statement& s) {
  return s.kind == Kind::Branch || s.kind == Kind::Need || s.kind == Kind::Demand;
}

class MovedDeaths {
 public:
  MovedDeaths(Schedule& schedule, std::span<const MovedRun> moved)
      : s_(schedule), moved_(moved), block_of_(schedule.block_of_statements()) {}

  void run() && {
    find_reached_through_bodies();
    std::vector<std::uint32_t> moved_at(s_.statements.size(), kNone);
    for (std::uint32_t m = 0; m < moved_.size(); ++m) moved_at[moved_[m].now] = m;
    deaths_.resize(moved_.size());
    death_of_.resize(s_.registers.size(), nullptr);
    reached_.resize(s_.blocks.size(), kNone);
    entering_.resize(s_.blocks.size(), kNone);
    std::size_t assigned = 0;
    for (std::uint32_t i = 0; i < s_.statements.size(); ++i) {
      for (; assigned < moved_.size() && moved_[assigned].stood == i; ++assigned) assign(assigned);
      const Statement& s = s_.statements[i];
      reached_[block_of_[i]] = i;
      if (may_enter(s)) entering_[block_of_[i]] = i;
      each_register(s_, s, [&](std::uint32_t reg) {
        if (death_of_[reg] != nullptr) touch(*death_of_[reg], i);
      });
      if (moved_at[i] != kNone) watch(moved_at[i]);
    }
    rewrite();
  }

 private:
  /// What dies in a Run that has moved, and who touches it between its new and its old place.
  struct Death {
    std::uint32_t reg;
    std::uint32_t block;                 // the Run's
    std::uint32_t last = kNone;          // the statement of that block that touches it last
    std::vector<std::uint32_t> touches;  // statements, those in arms too; one more than kFewUses
  };
  /// A register that is let go in a Run, or in front of a statement.
  struct Location {
    std::uint32_t statement, reg;
  };

  void find_reached_through_bodies() {
    // A body is the root, a memo body, an input of a lazy thunk; arms are parts of one.
    std::vector<std::uint32_t> body_of(s_.blocks.size()), touched_in(s_.registers.size(), kNone);
    through_bodies_.resize(s_.registers.size(), false);
    for (std::uint32_t b = 0; b < s_.blocks.size(); ++b)
      body_of[b] = s_.blocks[b].kind == Block::Kind::Arm ? body_of[s_.blocks[b].parent] : b;
    for (std::uint32_t i = 0; i < s_.statements.size(); ++i)
      each_register(s_, s_.statements[i], [&](std::uint32_t reg) {
        const std::uint32_t before = std::exchange(touched_in[reg], body_of[block_of_[i]]);
        if (before != kNone && before != touched_in[reg]) through_bodies_[reg] = true;
      });
    for (const ScheduledLazy& lazy : s_.lazies)
      for (const std::uint32_t reg : s_.operands_of(lazy)) through_bodies_[reg] = true;
  }

  void watch(std::uint32_t moved) {
    const Statement& run = s_.statements[moved_[moved].now];
    deaths_[moved].reserve(run.n_dying);
    for (const std::uint32_t reg : s_.dying_in(run))
      death_of_[reg] = &deaths_[moved].emplace_back(reg, block_of_[moved_[moved].now]);
  }
  void touch(Death& death, std::uint32_t statement) {
    death.last = reached_[death.block];
    if (death.touches.size() <= kFewUses) death.touches.push_back(statement);
  }

  /// Says where that dies which died in a Run, once all is known that stood in front of it.
  void assign(std::size_t moved) {
    Statement& run = s_.statements[moved_[moved].now];
    run.n_dying = 0;
    for (Death& death : deaths_[moved]) {
      death_of_[death.reg] = nullptr;
      const std::uint32_t entering = entering_[death.block];
      if (through_bodies_[death.reg] && entering != kNone && entering > moved_[moved].now &&
          (death.last == kNone || death.last <= entering))
        die_behind(entering, death.reg);
      else if (death.last != kNone)
        die_in(death.last, death.block, death.reg, death.touches);
      else
        dying_in_.push_back({moved_[moved].now, death.reg});
    }
    deaths_[moved].clear();
  }

  /// `statement`, of `block`, touches `reg` last, itself or in its arms; `touches` has all that do.
  void die_in(std::uint32_t statement, std::uint32_t block, std::uint32_t reg,
              std::span<const std::uint32_t> touches) {
    Statement& s = s_.statements[statement];
    if (s.kind == Kind::Run)
      dying_in_.push_back({statement, reg});
    else if (s.kind == Kind::Move && s.from == reg)
      s.takes = true;
    else if (s.kind == Kind::Branch && are_few_and_near(touches, block))
      die_in_branch(statement, reg, touches);
    else
      die_behind(statement, reg);
  }
  void die_in_branch(std::uint32_t statement, std::uint32_t reg,
                     std::span<const std::uint32_t> touches) {
    Statement& s = s_.statements[statement];
    if (touches.back() == statement)  // its selector
      s.takes = true;
    else if (s_.branches[s.index].n_arms <= kFewRetiringArms)
      die_in_arms(s_.branches[s.index], reg, touches);
    else
      die_behind(statement, reg);
  }

  bool are_few_and_near(std::span<const std::uint32_t> touches, std::uint32_t block) const {
    return touches.size() <= kFewUses && std::ranges::all_of(touches, [&](std::uint32_t i) {
             std::uint32_t within = block_of_[i];
             for (int level = 0; within != block && level < kArmLevels; ++level)
               within = s_.blocks[within].parent;
             return within == block;
           });
  }
  void die_in_arms(const ScheduledBranch& branch, std::uint32_t reg,
                   std::span<const std::uint32_t> touches) {
    for (std::uint32_t arm = 0; arm < branch.n_arms; ++arm) {
      const Block& block = s_.arm(branch, arm);
      const auto first = std::ranges::lower_bound(touches, block.begin);
      const std::span inside(first, std::ranges::lower_bound(touches, block.end));
      if (inside.empty())
        dying_before_.push_back({block.begin, reg});
      else
        die_in(statement_of(branch.first_arm + arm, inside.back()), branch.first_arm + arm, reg,
               inside);
    }
  }
  /// The statement of a block that has this one in its arms, or is it.
  std::uint32_t statement_of(std::uint32_t block, std::uint32_t i) const {
    while (block_of_[i] != block)
      i = s_.arm(s_.branches[s_.blocks[block_of_[i]].owner], 0).begin - 1;
    return i;
  }
  void die_behind(std::uint32_t statement, std::uint32_t reg) {
    const Statement& s = s_.statements[statement];
    const bool branch = s.kind == Kind::Branch;
    dying_before_.push_back({branch ? s_.after(s_.branches[s.index]) : statement + 1, reg});
  }

  /// Writes what dies where into the schedule.
  void rewrite() {
    std::ranges::stable_sort(dying_in_, {}, &Location::statement);
    std::ranges::stable_sort(dying_before_, {}, &Location::statement);
    const std::vector<Statement> statements = std::exchange(s_.statements, {});
    const std::vector<std::uint32_t> dying = std::exchange(s_.dying, {});
    const auto n_dying = [&] { return static_cast<std::uint32_t>(s_.dying.size()); };
    std::vector<std::uint32_t> begin(statements.size()), end(statements.size());
    for (std::uint32_t i = 0, in = 0, before = 0; i < statements.size(); ++i) {
      Statement s = statements[i];
      begin[i] = static_cast<std::uint32_t>(s_.statements.size());
      std::uint32_t first = n_dying();
      for (; before < dying_before_.size() && dying_before_[before].statement == i; ++before)
        s_.dying.push_back(dying_before_[before].reg);
      if (s.kind != Kind::Retire && n_dying() > first) {
        Statement& retire = s_.statements.emplace_back();
        retire.kind = Kind::Retire;
        retire.first_dying = std::exchange(first, n_dying());
        retire.n_dying = first - retire.first_dying;
      }
      if (s.kind == Kind::Run || s.kind == Kind::Retire) {
        const auto own = dying.begin() + s.first_dying;
        s_.dying.insert(s_.dying.end(), own, own + s.n_dying);
        for (; in < dying_in_.size() && dying_in_[in].statement == i; ++in)
          s_.dying.push_back(dying_in_[in].reg);
        s.first_dying = first;
        s.n_dying = n_dying() - first;
      }
      s_.statements.push_back(s);
      end[i] = static_cast<std::uint32_t>(s_.statements.size());
    }
    for (Block& block : s_.blocks) {
      block.begin = begin[block.begin];
      block.end = end[block.end - 1];
    }
  }

  Schedule& s_;
  const std::span<const MovedRun> moved_;
  const std::vector<std::uint32_t> block_of_;  // by statement
  std::vector<bool> through_bodies_;  // by register: touched in several bodies, or by a lazy thunk
  std::vector<std::vector<Death>> deaths_;  // by moved Run
  std::vector<Death*> death_of_;            // by register, between a Run's new and its old place
  // By block, of the statements so far: the last one, and the last one that may enter a body.
  std::vector<std::uint32_t> reached_, entering_;
  std::vector<Location> dying_in_, dying_before_;
};

}  // namespace

void let_go_late(Schedule& schedule, std::span<const MovedRun> moved) {
  if (!moved.empty()) MovedDeaths(schedule, moved).run();
}

}  // namespace thunkvm
