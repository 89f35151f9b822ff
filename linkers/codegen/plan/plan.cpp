#include "linkers/codegen/plan/plan.h"

#include "linkers/codegen/plan/fusion.h"
#include "linkers/codegen/plan/limits.h"
#include "linkers/codegen/runtime/call_memory.h"
#include "ops/graph/index_map.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

namespace thunkvm {
namespace {

constexpr std::uint32_t kElsewhere = kNone - 1;

/// What the interpreter does with lazy thunks.
bool is_lazy(const Statement& s) {
  return s.kind == Statement::Kind::Demand || s.kind == Statement::Kind::Release;
}
/// What a statement adds to the size of a function.
std::uint32_t n_thunks(const Statement& s) {
  return s.kind == Statement::Kind::Run || s.kind == Statement::Kind::Branch ? 1 : 0;
}

}  // namespace

void go_on_unless(const std::stop_token& stop) {
  if (stop.stop_requested())
    throw Error(ErrorKind::Interrupted, "the emission of code was stopped.");
}

Plan::Plan(const Program& program, const Schedule& schedule, const ShapeFacts& shapes,
           const PlanOptions& options, const std::stop_token& stop)
    : program_(program), schedule_(schedule), shapes_(shapes), options_(options) {
  find_forms();
  go_on_unless(stop);
  count_accesses();
  rematerialised_ = RematerialisedViews(*this);
  find_groups(stop);
  count_reads_within();
  find_memo_depths();
  cut();
  take_in_bodies();
  leave_out_others();
  find_entries();
  find_locals();
  find_temporaries();
}

bool Plan::gains() const {
  return std::ranges::any_of(groups_, [](const std::vector<Group>& groups) {
    return std::ranges::any_of(groups,
                               [](const Group& group) { return group.kind != Group::Kind::Call; });
  });
}

void Plan::find_forms() {
  registers_.resize(program_.n_registers);
  for (std::uint32_t r = 0; r < program_.n_registers; ++r)
    if (const Type* type = schedule_.type_of(r); type != nullptr && is_number(*type))
      registers_[r] = {.number = true, .dtype = type->tensor()->dtype()};
  steps_.reserve(program_.steps.size());
  for (const Step& step : program_.steps)
    steps_.push_back(form_of(step, *schedule_.nodes[step.node].node()));
  // A register of an expression that is not known as a number after all (it is shared with others).
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    if (!steps_[i].is_expression()) continue;
    const Operands& o = program_.steps[i].operands;
    bool numbers = true;
    for (int k = 0; k < o.n_inputs + o.n_outputs; ++k)
      if (k >= o.n_inputs || node(i).input(k).ndim() == 0)
        numbers &= registers_[o.registers[k]].number;
    if (!numbers) steps_[i] = {.why = "a register of it is not always a number"};
  }
}

void Plan::count_accesses() {
  reads_.resize(program_.n_registers, 0);
  writes_.resize(program_.n_registers, 0);
  needs_.resize(schedule_.memos.size());
  const auto count = [](std::vector<std::uint32_t>& accesses,
                        std::span<const std::uint32_t> registers) {
    for (const std::uint32_t reg : registers) ++accesses[reg];
  };
  for (const Statement& s : schedule_.statements) {
    if (s.kind == Statement::Kind::Run) {
      count(reads_, schedule_.inputs_of(s));
      count(writes_, schedule_.outputs_of(s));
    } else if (s.kind == Statement::Kind::Branch) {
      ++reads_[schedule_.branches[s.index].selector];
    } else if (s.kind == Statement::Kind::Move) {
      ++reads_[s.from];
      ++writes_[s.to];
    } else if (s.kind == Statement::Kind::Need) {
      needs_[s.index].push_back(s.pc);
    }
  }
  for (const ScheduledLazy& lazy : schedule_.lazies) {
    count(reads_, schedule_.operands_of(lazy));
    count(writes_, schedule_.operands_of(lazy).subspan(lazy.n_inputs));
  }
  for (const auto* list :
       {&schedule_.inputs, &schedule_.shared, &schedule_.outputs, &schedule_.updates})
    count(reads_, *list);
  for (const auto* list : {&schedule_.inputs, &schedule_.shared, &schedule_.constants})
    count(writes_, *list);
}

std::vector<StepRange> Plan::not_reached(std::span<const Group> rest) const {
  std::vector<std::uint32_t> steps;
  for (const Group& group : rest)
    for (const std::uint32_t step : group.steps)
      if (accounts_for(group, step)) steps.push_back(step);
  std::sort(steps.begin(), steps.end());
  std::vector<StepRange> ranges;
  for (const std::uint32_t step : steps) {
    if (!ranges.empty() && ranges.back().second == step)
      ++ranges.back().second;
    else
      ranges.push_back({step, step + 1});
  }
  return ranges;
}

std::uint32_t Plan::most_thunks() const { return options_.unfused ? 1 : kFunctionThunks; }

void Plan::find_groups(const std::stop_token& stop) {
  groups_.resize(program_.code.size());
  membership_.resize(steps_.size());
  schedule_.each_segment([&](std::span<const Statement> runs) {
    go_on_unless(stop);
    groups_[runs.front().pc] = fuse(*this, runs);
  });
  for (const std::vector<Group>& groups : groups_)
    for (const Group& group : groups)
      for (const std::uint32_t step : group.steps) {
        Membership& membership = membership_[step];
        if (membership.groups++ == 0) membership.first = &group;
        membership.loops += group.kind == Group::Kind::Loop;
      }
}

/// What a step reads that is a member of several loops is read outside of each.
void Plan::count_reads_within() {
  reads_within_.resize(program_.n_registers, 0);
  std::vector<const Group*> writer(program_.n_registers, nullptr);
  for (const std::vector<Group>& groups : groups_)
    for (const Group& group : groups) {
      for (const std::uint32_t step : group.steps)
        writer[program_.steps[step].operands.output(0)] = &group;
      for (const std::uint32_t step : group.steps) {
        const Operands& o = program_.steps[step].operands;
        for (int i = 0; i < o.n_inputs && membership_[step].groups == 1; ++i)
          reads_within_[o.input(i)] += writer[o.input(i)] == &group;
      }
    }
}

void Plan::find_memo_depths() {
  memos_in_order_.resize(schedule_.memos.size());
  std::iota(memos_in_order_.begin(), memos_in_order_.end(), 0);
  // A body needs what its node depends on, and nodes are numbered behind those.
  std::ranges::sort(memos_in_order_, {}, [&](auto memo) { return schedule_.memos[memo].node; });
  memo_depth_.resize(schedule_.memos.size(), 0);
  for (const std::uint32_t memo : memos_in_order_) {
    const Block& body = schedule_.body(memo);
    std::uint32_t thunks = 0;
    std::uint8_t depth = 0;
    bool callable = true;
    for (std::uint32_t i = body.begin; i < body.end; ++i) {
      const Statement& s = schedule_.statements[i];
      thunks += n_thunks(s);
      callable &= !is_lazy(s);
      if (s.kind != Statement::Kind::Need) continue;
      callable &= memo_depth_[s.index] != 0;
      depth = std::max(depth, memo_depth_[s.index]);
    }
    if (callable && depth < kMemoDepth && thunks > 0 && thunks <= most_thunks())
      memo_depth_[memo] = static_cast<std::uint8_t>(depth + 1);
  }
}

void Plan::cut() {
  outlined_at_.resize(program_.code.size(), kNone);
  std::vector<bool> starts(schedule_.statements.size(), false);
  for (const Block& block : schedule_.blocks)
    if (block.kind != Block::Kind::Arm) starts[block.begin] = true;
  bool open = false;
  for (std::uint32_t i = 0, next; i < schedule_.statements.size(); i = next) {
    const Statement& s = schedule_.statements[i];
    next = schedule_.next(i);
    if (!schedule_.has_instruction(s)) {
      if (open) outlined_.back().end = next;
      continue;
    }
    if (is_lazy(s) || (s.kind == Statement::Kind::Need && memo_depth_[s.index] == 0)) {
      open = false;
      continue;
    }
    const std::uint32_t thunks = n_thunks(s) * (next - i);
    if (!open || starts[i] || outlined_.back().thunks + thunks > most_thunks())
      outlined_.emplace_back().begin = i;
    open = true;
    OutlinedFunction& outlined = outlined_.back();
    outlined.end = next;
    outlined.thunks += thunks;
    outlined.emitted |= s.kind == Statement::Kind::Branch;
    for (const Group& group : groups(s.pc))
      outlined.emitted |=
          group.kind != Group::Kind::Call || program_.steps[group.steps.front()].run != &run_bound;
    outlined_at_[s.pc] = static_cast<std::uint32_t>(outlined_.size() - 1);
  }
  // A memo body whose call would be a call of the interpreter's is none.
  for (std::size_t m = 0; m < schedule_.memos.size(); ++m)
    if (memo_depth_[m] != 0) outlined_[memo_function(static_cast<std::uint32_t>(m))].emitted = true;
}

/// A body whose Needs all stand in one function is no function of its own.
void Plan::take_in_bodies() {
  if (options_.unfused) return;
  for (auto memo = memos_in_order_.rbegin(); memo != memos_in_order_.rend(); ++memo) {
    if (memo_depth_[*memo] == 0 || needs_[*memo].empty()) continue;
    const std::uint32_t into = outlined_at_[needs_[*memo][0]];
    OutlinedFunction &function = outlined_[into], &body = outlined_[memo_function(*memo)];
    const auto elsewhere = [&](std::uint32_t pc) { return outlined_at_[pc] != into; };
    if (std::ranges::any_of(needs_[*memo], elsewhere) ||
        function.thunks + body.thunks > most_thunks())
      continue;
    for (std::uint32_t i = body.begin; i < body.end; ++i) outlined_at_[pc(i)] = into;
    function.bodies.push_back(*memo);
    function.thunks += body.thunks;
    function.emitted = true;
    body.emitted = false;
  }
}

/// What is left are the functions, in the order of the program.
void Plan::leave_out_others() {
  std::vector<std::uint32_t> number(outlined_.size(), kNone);
  std::uint32_t n = 0;
  for (std::size_t k = 0; k < outlined_.size(); ++k)
    if (outlined_[k].emitted) number[k] = n++;
  for (std::uint32_t& at : outlined_at_)
    if (at != kNone) at = number[at];
  std::erase_if(outlined_, [](const OutlinedFunction& outlined) { return !outlined.emitted; });
}

void Plan::find_entries() {
  // These are the interpreter's: a function would send it right back to them.
  std::vector<bool> is_end(program_.code.size(), false);
  for (const Block& block : schedule_.blocks)
    if (block.kind != Block::Kind::Arm) is_end[schedule_.statements[block.end - 1].pc] = true;
  for (OutlinedFunction& outlined : outlined_) outlined.entries = {pc(outlined.begin)};
  const auto lead = [&](std::uint32_t from, std::uint32_t to) {
    const std::uint32_t outlined = outlined_at_[pc(to)];
    if (outlined != kNone && outlined != outlined_at_[pc(from)] && !is_end[pc(to)])
      outlined_[outlined].entries.push_back(pc(to));
  };
  for (std::uint32_t i = 0; i < schedule_.statements.size(); ++i) {
    const Statement& s = schedule_.statements[i];
    if (s.kind != Statement::Kind::Branch) continue;
    const ScheduledBranch& branch = schedule_.branches[s.index];
    for (std::uint32_t a = 0; a < branch.n_arms; ++a) {
      lead(i, schedule_.arm(branch, a).begin);
      if (a + 1 < branch.n_arms) lead(schedule_.arm(branch, a).end - 1, schedule_.after(branch));
    }
  }
  for (OutlinedFunction& outlined : outlined_) {
    std::ranges::sort(outlined.entries);
    outlined.entries.erase(std::ranges::unique(outlined.entries).begin(), outlined.entries.end());
  }
}

void Plan::find_locals() {
  if (options_.unfused) return;
  std::vector<std::uint32_t> touched(program_.n_registers, kNone);
  const auto touch = [&](std::uint32_t reg, std::uint32_t outlined) {
    std::uint32_t& by = touched[reg];
    by = by == kNone || by == outlined ? outlined : kElsewhere;
  };
  const auto outlined_at = [&](std::uint32_t pc) { return std::min(outlined_at_[pc], kElsewhere); };
  for (const Statement& s : schedule_.statements) {
    if (s.kind == Statement::Kind::Branch)
      touch(schedule_.branches[s.index].selector, outlined_at(s.pc));
    if (s.kind == Statement::Kind::Move)
      for (const std::uint32_t reg : {s.to, s.from}) touch(reg, outlined_at(s.pc));
  }
  for (std::uint32_t pc = 0; pc < groups_.size(); ++pc)
    for (const Group& group : groups_[pc])
      for (const std::uint32_t step : group.steps) {
        const Operands& o = program_.steps[step].operands;
        for (int k = 0; k < o.n_inputs + o.n_outputs; ++k)
          touch(o.registers[k], group.kind == Group::Kind::Call ? kElsewhere : outlined_at(pc));
      }
  for (const ScheduledLazy& lazy : schedule_.lazies)
    for (const std::uint32_t reg : schedule_.operands_of(lazy)) touch(reg, kElsewhere);
  for (const auto* list : {&schedule_.inputs, &schedule_.shared, &schedule_.outputs,
                           &schedule_.updates, &schedule_.constants})
    for (const std::uint32_t reg : *list) touch(reg, kElsewhere);
  for (std::size_t r = 0; r < registers_.size(); ++r)
    registers_[r].local = registers_[r].number && touched[r] < kElsewhere;
}

/// Arrays that one loop computes and nothing but other loops reads.
void Plan::find_temporaries() {
  if (options_.unfused || program_.retain_intermediates) return;
  std::vector<std::uint32_t> loop_reads(program_.n_registers, 0);
  std::vector<bool> computed(program_.n_registers, false);
  std::vector<const Group*> writer(program_.n_registers, nullptr);
  std::vector<bool> read(program_.n_registers, false);  // by others, more than its lengths
  for (const std::vector<Group>& groups : groups_)
    for (const Group& group : groups)
      for (const std::uint32_t step : group.steps) {
        const Operands& o = program_.steps[step].operands;
        writer[o.output(0)] = &group;
        // A rematerialised view is a part of an array that is to last.
        if (!is_in_loops_only(step) || is_rematerialised(step)) continue;
        for (int i = 0; i < o.n_inputs; ++i) {
          loop_reads[o.input(i)] += accounts_for(group, step) && !steps_[step].compares(i);
          if (writer[o.input(i)] != &group && !steps_[step].is_lengths()) read[o.input(i)] = true;
        }
        computed[o.output(0)] = membership_[step].groups == 1 && steps_[step].ndim <= kInlineDims &&
                                steps_[step].kind != StepForm::Kind::Reduction &&
                                is_read_outside(o.output(0));
      }
  std::vector<std::uint32_t> temporaries;
  for (std::uint32_t r = 0; r < program_.n_registers; ++r)
    if (computed[r] && writes_[r] == 1 && loop_reads[r] == reads_[r]) temporaries.push_back(r);
  n_temporaries_ = temporaries.size();
  const std::size_t bytes = CallMemory::slot_bytes(n_temporaries_);
  for (std::size_t i = 0; i < n_temporaries_; ++i) {
    registers_[temporaries[i]].temporary = static_cast<std::uint32_t>(i * bytes);
    registers_[temporaries[i]].shape_only = !read[temporaries[i]];
  }
}

}  // namespace thunkvm
