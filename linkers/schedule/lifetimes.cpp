#include "linkers/schedule/lifetimes.h"

#include "linkers/schedule/limits.h"
#include "linkers/schedule/schedule_edit.h"
#include "linkers/schedule/touches.h"
#include "thunks/interrupt.h"

#include <algorithm>
#include <iterator>
#include <ranges>
#include <span>
#include <utility>
#include <vector>

namespace thunkvm {
namespace {

using Kind = Statement::Kind;

class Lifetimes {
 public:
  Lifetimes(Schedule& schedule, const RegionTree& regions)
      : s_(schedule),
        regions_(regions),
        block_of_(schedule.block_of_statements()),
        touches_(schedule),
        runs_(schedule.loops.size(), kNone),
        last_decision_(regions.n_keys(), kNone),
        last_entry_(regions.n_regions(), kNone),
        kept_(schedule.registers.size(), false),
        defined_in_(schedule.registers.size(), kNone),
        made_by_(schedule.registers.size(), kNone),
        body_of_(schedule.registers.size(), kNone),
        first_made_(schedule.nodes.size(), kNone),
        next_made_(schedule.registers.size(), kNone) {}

  void run(std::span<const std::uint32_t> mutable_inputs) && {
    for (const auto* kept : {&s_.outputs, &s_.updates})
      for (const std::uint32_t reg : *kept) kept_[reg] = true;
    find_defining_regions();
    find_lazy_regions();
    list_made();
    dying_.reserve(defined_in_.size());
    // Bodies of later nodes first: what a body touches is made by nodes before it, and asks for its
    // last entry.
    std::ranges::sort(bodies_, std::ranges::greater(), &Body::node);
    for (std::uint32_t b = 0; b < bodies_.size(); ++b) find_last_entry(b);
    for (const std::uint32_t input : mutable_inputs) end_input(s_.inputs[input]);
    for (const std::uint32_t first : first_made_)
      for (std::uint32_t reg = first; reg != kNone; reg = next_made_[reg]) {
        poll_interrupt();
        if (!kept_[reg]) end(reg);
      }
    for (const Body& body : bodies_ | std::views::reverse) release(body);
    for (const ScheduledLoop& loop : s_.loops)
      for (const std::uint32_t state : loop.states) end_state(loop, state);
    write();
  }

 private:
  /// A memo body, or the inputs of a lazy thunk: what is entered from elsewhere.
  struct Body {
    ProgramNode node;
    std::span<const std::uint32_t> outputs;  // registers
    Region home;                             // around all that may enter it
    Region first_region;
    std::uint32_t n_regions;
    std::uint32_t lazy;  // kNone: a memo body
    StatementIndex last_entry{};
  };
  /// Something that is let go in a statement, or in front of it.
  struct Location {
    StatementIndex statement;
    std::uint32_t what;
  };

  /// What is let go in each statement, or in front of it, as it was noted.
  struct ByStatement {
    ByStatement(const std::vector<Location>& noted, const Schedule& schedule)
        : all(noted), first(schedule.statements.size(), kNone), next(noted.size()) {
      for (auto k = static_cast<std::uint32_t>(all.size()); k-- > 0;)
        next[k] = std::exchange(first[all[k].statement], k);
    }
    const std::vector<Location>& all;
    IndexedVector<StatementIndex, std::uint32_t> first;
    std::vector<std::uint32_t> next;
  };

  Region region_at(StatementIndex i) const { return s_.blocks[block_of_[i]].region; }
  /// The statements that touch a register, in order.
  auto touches(std::uint32_t reg) const {
    return touches_.by_statements(reg) | std::views::transform(&Touch::statement);
  }

  void find_defining_regions() {
    for (const StatementIndex i : s_.statements.indices()) {
      const Statement& s = s_.statements[i];
      const Block& block = s_.blocks[block_of_[i]];
      const std::span written = s_.written_by(s);
      if (s.node != kNone && !written.empty()) made(s.node, written, block);
      if (s.kind == Kind::Loop) {
        const ScheduledLoop& loop = s_.loops[s.index];
        runs_[s.index] = i;
        last_decision_[regions_.key(s_.blocks[loop.block].region)] = i;
        made(s.node, loop.left, block);
      }
      if (s.kind != Kind::Branch) continue;
      const ScheduledBranch& branch = s_.branches[s.index];
      last_decision_[regions_.key(s_.arm(branch, 0).region)] = i;
      for (const ScheduledResult& result : s_.results_of(branch))
        made(result.node, std::span(&result.reg, 1), block);
    }
  }
  void find_lazy_regions() {
    for (std::uint32_t l = 0; l < s_.lazies.size(); ++l) {
      const ScheduledLazy& lazy = s_.lazies[l];
      const auto outputs = s_.outputs_of(lazy);
      const Region first = lazy.n_inputs == 0 ? kNone : s_.blocks[lazy.first_block].region;
      const Region home = first == kNone ? around(outputs) : regions_.parent(first);
      bodies_.push_back({lazy.node, outputs, home, first, lazy.n_inputs, l});
      assign(lazy.node, outputs, home);
    }
  }
  /// What is let go together is listed in the order of nodes.
  void list_made() {
    for (std::uint32_t reg = 0; reg < made_by_.size(); ++reg)
      if (made_by_[reg] != kNone) next_made_[reg] = std::exchange(first_made_[made_by_[reg]], reg);
  }
  Region around(std::span<const std::uint32_t> registers) const {
    Region all = kNone;
    for (const std::uint32_t reg : registers)
      for (const StatementIndex i : touches(reg))
        all = all == kNone ? region_at(i) : regions_.lca(all, region_at(i));
    return all;
  }
  void made(ProgramNode node, std::span<const std::uint32_t> outputs, const Block& in) {
    Region home = in.region;
    if (in.kind == Block::Kind::Memo && s_.memos[in.owner].node == node) {
      home = regions_.parent(in.region);
      bodies_.push_back({node, outputs, home, in.region, 1, kNone});
    }
    assign(node, outputs, home);
  }
  /// Where an arm makes a conditional's value in the conditional's register, it is the conditional
  /// that makes it, further out.
  void assign(ProgramNode node, std::span<const std::uint32_t> outputs, Region home) {
    for (const std::uint32_t reg : outputs) {
      if (defined_in_[reg] != kNone && regions_.depth(defined_in_[reg]) <= regions_.depth(home))
        continue;
      defined_in_[reg] = home;
      made_by_[reg] = node;
    }
  }

  /// The statement of region `to` in which statement `i`, below it, happens at the latest.
  StatementIndex position(Region to, StatementIndex i) const {
    Region from = region_at(i);
    if (from == to) return i;
    if (regions_.depth(from) - regions_.depth(to) > kPreciseLevels) {
      const Region child = regions_.child_towards(to, from);
      return regions_.is_arm(child) ? last_decision_[regions_.key(child)] : last_entry_[child];
    }
    for (; from != to; from = regions_.parent(from)) {
      const Block& block = s_.blocks[block_of_[i]];
      i = block.kind == Block::Kind::Loop ? runs_[block.owner]
          : regions_.is_arm(from)         ? s_.at(s_.branches[block.owner])
                                          : last_entry_[from];
    }
    return i;
  }
  StatementIndex last_touch(std::uint32_t reg, Region home) const {
    StatementIndex last(0);
    for (const StatementIndex i : touches(reg)) last = std::max(last, position(home, i));
    return last;
  }

  void find_last_entry(std::uint32_t b) {
    Body& body = bodies_[b];
    body.last_entry = StatementIndex(0);
    for (const std::uint32_t reg : body.outputs) {
      body_of_[reg] = b;
      each_request(body, reg, [&](StatementIndex i) {
        body.last_entry = std::max(body.last_entry, position(body.home, i));
      });
    }
    for (std::uint32_t r = 0; r < body.n_regions; ++r)
      last_entry_[body.first_region + r] = body.last_entry;
  }
  /// Calls `f` with the statements that may enter a body to have this output of it.
  template <class F>
  void each_request(const Body& body, std::uint32_t reg, F f) const {
    const auto inside = [&](StatementIndex i) {
      return regions_.is_ancestor(body.first_region, region_at(i));
    };
    const auto demands = [&](StatementIndex i) { return s_.statements[i].kind == Kind::Demand; };
    // Demanded in one location, an output is certain there, and all that read it come behind.
    const bool certain = std::ranges::count_if(touches(reg), demands) == 1;
    for (const StatementIndex i : touches(reg))
      if (body.lazy == kNone ? !inside(i) : !certain || demands(i)) f(i);
  }

  void end(std::uint32_t reg) {
    const Body* const body = body_of_[reg] == kNone ? nullptr : &bodies_[body_of_[reg]];
    Region home = defined_in_[reg];
    StatementIndex last(0);
    known_.clear();
    if (body == nullptr) {
      home = life(reg, home);
      last = last_touch(reg, home);
      if (s_.statements[last].kind == Kind::Branch)
        std::ranges::copy(touches(reg), std::back_inserter(known_));
    } else if (body->lazy != kNone) {
      // Any entry may store any output, so that all of them live to the last one.
      home = life(reg, home);
      last = std::max(last_touch(reg, home), position(home, body->last_entry));
    } else {
      // The body may run at any of its Needs, so that all its outputs live to the last one.
      last = body->last_entry;
      if (body->outputs.size() == 1)
        each_request(*body, reg, [&](StatementIndex i) { known_.push_back(i); });
    }
    if (known_.size() > kFewUses) known_.clear();
    end_behind(reg, home, last, known_, 0);
  }

  /// Whoever calls has made it in front of the root.
  void end_input(std::uint32_t reg) {
    if (kept_[reg] || touches(reg).empty()) return;
    defined_in_[reg] = kRootRegion;
    end(reg);
  }

  /// Lets a state go where a step touches it for the last time, so that its memory may be that of
  /// the next one, and where the loop ends.
  void end_state(const ScheduledLoop& loop, std::uint32_t state) {
    const ScheduledBranch& branch = s_.branches[loop.branch];
    const Region step = s_.blocks[loop.block].region;
    bool is_written = false;
    known_.clear();
    for (const Touch& touch : touches_.by_statements(state)) {
      if (!regions_.is_ancestor(step, region_at(touch.statement))) continue;
      is_written |= touch.kind == Touch::Kind::Write;
      if (touch.kind == Touch::Kind::Read) known_.push_back(touch.statement);
    }
    if (!is_written || known_.empty() || known_.size() > kFewUses ||
        !end_in_arms(state, step, s_.at(branch), known_, 0))
      retired_.push_back({s_.arm(branch, 0).end - 1, state});
  }

  /// The input of a lazy thunk, though an input block computes it, lives through the thunk's last
  /// demand.
  Region life(std::uint32_t reg, Region home) const {
    const auto leaves = [&](StatementIndex i) {
      return s_.statements[i].kind == Kind::End && region_at(i) == home;
    };
    while (!s_.lazies.empty() && std::ranges::any_of(touches(reg), leaves))
      home = regions_.parent(home);
    return home;
  }

  /// Notes that something is let go behind a statement: of a branch that ends a step at the end of
  /// both arms, since one of them begins the next step.
  void behind(StatementIndex i, std::uint32_t what, std::vector<Location>& list) const {
    const Statement& s = s_.statements[i];
    if (s.kind != Kind::Branch) {
      list.push_back({i + 1, what});
    } else if (const ScheduledBranch& branch = s_.branches[s.index]; branch.loop == kNone) {
      list.push_back({s_.after(branch), what});
    } else {
      list.push_back({s_.arm(branch, 0).end - 1, what});
      list.push_back({s_.arm(branch, 1).end - 2, what});
    }
  }

  /// Lets a register go after statement `at` of `region`, or further in. `known` are all that touch
  /// it, where these are few.
  void end_behind(std::uint32_t reg, Region region, StatementIndex at,
                  std::span<const StatementIndex> known, int level) {
    Statement& s = s_.statements[at];
    if (s.kind == Kind::Run) {
      dying_.push_back({at, reg});
    } else if (s.kind == Kind::Move && s.from == reg) {
      s.takes = true;
    } else if (s.kind != Kind::Branch || known.empty() || level > kArmLevels ||
               !end_in_arms(reg, region, at, known, level)) {
      behind(at, reg, retired_);
    }
  }
  /// False if there are many arms, or not all that touches the register in this branch is in them.
  bool end_in_arms(std::uint32_t reg, Region region, StatementIndex at,
                   std::span<const StatementIndex> known, int level) {
    Statement& s = s_.statements[at];
    const ScheduledBranch& branch = s_.branches[s.index];
    if (branch.n_arms > kFewRetiringArms) return false;
    const std::uint32_t key = regions_.key(s_.arm(branch, 0).region);
    std::vector<StatementIndex> here, inside;
    for (const StatementIndex i : known) {
      if (position(region, i) != at || i == at) continue;
      if (regions_.key(regions_.child_towards(region, region_at(i))) != key) return false;
      here.push_back(i);
    }
    if (here.empty() && branch.selector == reg) {
      s.takes = true;
      return true;
    }
    for (std::uint32_t a = 0; a < branch.n_arms; ++a) {
      const Block& block = s_.arm(branch, a);
      inside.clear();
      StatementIndex last(0);
      for (const StatementIndex i : here)
        if (regions_.is_ancestor(block.region, region_at(i))) {
          inside.push_back(i);
          last = std::max(last, position(block.region, i));
        }
      if (inside.empty())
        retired_.push_back({block.begin, reg});
      else
        end_behind(reg, block.region, last, inside, level + 1);
    }
    return true;
  }

  /// Whoever has all outputs of a thunk has let it go; else that is done after its last demand.
  void release(const Body& body) {
    if (body.lazy == kNone || body.outputs.size() < 2) return;
    Region home = body.home;
    for (const std::uint32_t reg : body.outputs)
      if (const Region r = life(reg, body.home); regions_.depth(r) < regions_.depth(home)) home = r;
    behind(position(home, body.last_entry), body.lazy, released_);
  }

  void write() {
    const ByStatement dying(dying_, s_), retired(retired_, s_);
    ScheduleEdit edit(s_);
    for (const StatementIndex i : s_.statements.indices()) {
      if (retired.first[i] != kNone) {
        Statement retire;
        retire.kind = Kind::Retire;
        list(retired, i, retire);
        edit.insert(i, retire);
      }
      if (dying.first[i] != kNone) list(dying, i, s_.statements[i]);
    }
    for (const auto& [at, lazy] : released_) {
      Statement release;
      release.kind = Kind::Release;
      release.node = s_.lazies[lazy].node;
      release.index = lazy;
      edit.insert(at, release);
    }
    edit.apply();
  }
  void list(const ByStatement& by, StatementIndex i, Statement& s) {
    s.first_dying = static_cast<std::uint32_t>(s_.dying.size());
    for (std::uint32_t k = by.first[i]; k != kNone; k = by.next[k], ++s.n_dying)
      s_.dying.push_back(by.all[k].what);
  }

  Schedule& s_;
  const RegionTree& regions_;
  const IndexedVector<StatementIndex, std::uint32_t> block_of_;
  const Touches touches_;
  std::vector<StatementIndex> runs_;           // by loop: its statement
  std::vector<StatementIndex> last_decision_;  // by key of arms: the last Branch that opens them
  std::vector<StatementIndex> last_entry_;     // by region of a body, in the region around it
  std::vector<bool> kept_;                     // by register
  std::vector<Region> defined_in_;             // by register; kNone: nothing here makes it
  std::vector<ProgramNode> made_by_;           // by register: the node
  std::vector<std::uint32_t> body_of_;         // by register: the one that makes it for others
  // Registers: by node the first that it makes, by register the next of its node.
  IndexedVector<ProgramNode, std::uint32_t> first_made_;
  std::vector<std::uint32_t> next_made_;
  std::vector<Body> bodies_;
  std::vector<StatementIndex> known_;  // all that touches the register that ends, if these are few
  std::vector<Location> dying_, retired_, released_;  // registers, registers, lazy thunks
};

}  // namespace

void let_go(Schedule& schedule, const RegionTree& regions,
            std::span<const std::uint32_t> mutable_inputs) {
  Lifetimes(schedule, regions).run(mutable_inputs);
}

}  // namespace thunkvm
