// fusion.cpp: which steps of a segment become one loop.
#include "linkers/codegen/fused_loop.h"
#include "linkers/codegen/plan.h"

#include <algorithm>
#include <unordered_map>

namespace thunkvm {
namespace {

constexpr std::size_t kLoopMembers = 24;

/// Loops grow while nobody but their own members has read what they compute: until then they may be
/// run as late as at their next member.
class Fusion {
 public:
  explicit Fusion(const Plan& plan) : plan_(plan), program_(plan.program()) {}

  std::vector<Unit> run(std::uint32_t first, std::uint32_t end) {
    const bool fuse = plan_.options().fuse;
    for (std::uint32_t step = first; step < end; ++step) {
      const StepForm& form = plan_.step(step);
      const std::vector<std::size_t> producers = open_producers(step);
      std::size_t group = kNoGroup;
      if (fuse && form.kind == StepForm::Kind::Element) {
        group = join(step, producers);
      } else if (fuse && form.kind == StepForm::Kind::Fold && producers.size() == 1 &&
                 takes_fold(groups_[producers[0]], step)) {
        group = producers[0];
        groups_[group].reduced = form.reduced;
        add(group, step);
      }
      for (const std::size_t producer : producers)
        if (producer != group && groups_[producer].open) seal(producer);
      if (group == kNoGroup)
        emit(form.kind == StepForm::Kind::Expression ? Unit::Kind::Expression : Unit::Kind::Call,
             {step});
      const Operands& o = program_.steps[step].operands;
      for (int j = 0; j < o.n_outputs; ++j) group_of_[o.output(j)] = group;
    }
    for (std::size_t g = 0; g < groups_.size(); ++g)
      if (groups_[g].open) seal(g);
    place_retires(first, end);
    return std::move(units_);
  }

 private:
  static constexpr std::size_t kNoGroup = SIZE_MAX;
  struct Group {
    bool open = true;
    int ndim = 0;
    int reduced = 0;  // by its folds; 0: there are none
    std::vector<std::uint32_t> steps;
    std::vector<std::uint32_t> operands;  // registers, each once
  };

  std::vector<std::size_t> open_producers(std::uint32_t step) const {
    std::vector<std::size_t> result;
    const Operands& o = program_.steps[step].operands;
    for (int i = 0; i < o.n_inputs; ++i) {
      const auto found = group_of_.find(o.input(i));
      if (found == group_of_.end() || found->second == kNoGroup) continue;
      const std::size_t group = root(found->second);
      if (groups_[group].open && std::find(result.begin(), result.end(), group) == result.end())
        result.push_back(group);
    }
    return result;
  }

  /// A group that was merged into another one stands for that.
  std::size_t root(std::size_t group) const {
    while (merged_into_[group] != group) group = merged_into_[group];
    return group;
  }

  bool is_fold_output(const Group& group, std::uint32_t reg) const {
    for (const std::uint32_t step : group.steps)
      if (plan_.step(step).kind == StepForm::Kind::Fold &&
          program_.steps[step].operands.output(0) == reg)
        return true;
    return false;
  }
  bool reads_fold_of(std::uint32_t step, const Group& group) const {
    const Operands& o = program_.steps[step].operands;
    for (int i = 0; i < o.n_inputs; ++i)
      if (is_fold_output(group, o.input(i))) return true;
    return false;
  }

  /// A register is written again where two values share it: then the loop's order would matter.
  bool rewrites(const Group& group, std::uint32_t step) const {
    const std::uint32_t out = program_.steps[step].operands.output(0);
    return std::find(group.operands.begin(), group.operands.end(), out) != group.operands.end();
  }

  bool takes_fold(const Group& group, std::uint32_t step) const {
    const StepForm& form = plan_.step(step);
    return group.ndim == form.ndim && (group.reduced == 0 || group.reduced == form.reduced) &&
           !reads_fold_of(step, group) && fits(group, step) && !rewrites(group, step);
  }

  bool fits(const Group& group, std::uint32_t step) const {
    const Operands& o = program_.steps[step].operands;
    return group.steps.size() < kLoopMembers &&
           group.operands.size() + o.n_inputs + 1u <= kLoopOperands;
  }

  /// The group that an elementwise step is a member of: that of its producers, as far as they have
  /// its number of axes, or a new one.
  std::size_t join(std::uint32_t step, const std::vector<std::size_t>& producers) {
    std::size_t group = kNoGroup;
    for (const std::size_t candidate : producers) {
      Group& other = groups_[candidate];
      if (other.ndim != plan_.step(step).ndim || reads_fold_of(step, other) || !fits(other, step) ||
          rewrites(other, step))
        continue;
      if (group == kNoGroup)
        group = candidate;
      else if (can_merge(groups_[group], other))
        group = merge(std::min(group, candidate), std::max(group, candidate));
    }
    if (group == kNoGroup) {
      group = groups_.size();
      groups_.emplace_back().ndim = plan_.step(step).ndim;
      merged_into_.push_back(group);
    }
    add(group, step);
    return group;
  }

  static bool can_merge(const Group& a, const Group& b) {
    return a.steps.size() + b.steps.size() < kLoopMembers &&
           a.operands.size() + b.operands.size() + 4 <= kLoopOperands &&
           (a.reduced == 0 || b.reduced == 0 || a.reduced == b.reduced);
  }

  std::size_t merge(std::size_t into, std::size_t from) {
    Group &a = groups_[into], &b = groups_[from];
    std::vector<std::uint32_t> steps;
    std::merge(a.steps.begin(), a.steps.end(), b.steps.begin(), b.steps.end(),
               std::back_inserter(steps));
    a.steps = std::move(steps);
    a.reduced = std::max(a.reduced, b.reduced);
    for (const std::uint32_t reg : b.operands) note_operand(a, reg);
    b.open = false;
    b.steps.clear();
    merged_into_[from] = into;
    return into;
  }

  static void note_operand(Group& group, std::uint32_t reg) {
    if (std::find(group.operands.begin(), group.operands.end(), reg) == group.operands.end())
      group.operands.push_back(reg);
  }

  void add(std::size_t group, std::uint32_t step) {
    groups_[group].steps.push_back(step);
    const Operands& o = program_.steps[step].operands;
    for (int k = 0; k < o.n_inputs + o.n_outputs; ++k) note_operand(groups_[group], o.registers[k]);
  }

  void seal(std::size_t group) {
    Group& g = groups_[group];
    g.open = false;
    const bool worth = g.steps.size() > 1 || plan_.options().each_alone;
    emit(worth ? Unit::Kind::Loop : Unit::Kind::Call, std::move(g.steps));
  }

  void emit(Unit::Kind kind, std::vector<std::uint32_t> steps) {
    units_.push_back({.kind = kind, .steps = std::move(steps), .retired = {}});
  }

  /// What the segment retires goes after the last unit that touches it.
  void place_retires(std::uint32_t first, std::uint32_t end) {
    std::unordered_map<std::uint32_t, std::size_t> last;
    for (std::size_t u = 0; u < units_.size(); ++u)
      for (const std::uint32_t step : units_[u].steps) {
        const Operands& o = program_.steps[step].operands;
        for (int k = 0; k < o.n_inputs + o.n_outputs; ++k) last[o.registers[k]] = u;
      }
    for (std::uint32_t step = first; step < end; ++step)
      for (std::uint32_t k = 0; k < program_.steps[step].retire_count; ++k) {
        const std::uint32_t reg = program_.retires[program_.steps[step].retire_first + k];
        const auto found = last.find(reg);
        units_[found == last.end() ? units_.size() - 1 : found->second].retired.push_back(reg);
      }
  }

  const Plan& plan_;
  const Program& program_;
  std::vector<Unit> units_;
  std::vector<Group> groups_;
  std::vector<std::size_t> merged_into_;
  std::unordered_map<std::uint32_t, std::size_t> group_of_;  // by register
};

}  // namespace

std::vector<Unit> Plan::fuse(const Instruction& run) const {
  return Fusion(*this).run(run.a, run.a + run.b);
}

}  // namespace thunkvm
