#include "linkers/codegen/plan/plan.h"

#include "linkers/codegen/plan/fusion.h"
#include "linkers/codegen/plan/limits.h"
#include "linkers/codegen/runtime/call_memory.h"
#include "ops/graph/index_map.h"

#include <algorithm>
#include <numeric>

namespace thunkvm {
namespace {

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
    : program_(program),
      schedule_(schedule),
      shapes_(shapes),
      options_(options),
      touches_(schedule) {
  find_forms();
  find_loops();
  go_on_unless(stop);
  find_rematerialised_views();
  find_groups(stop);
  find_depths();
  cut();
  take_in_bodies();
  leave_out_others();
  find_entries();
  find_storage();
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
  for (const StepIndex i : steps_.indices()) {
    if (!steps_[i].is_expression()) continue;
    const Operands& o = program_.steps[i].operands;
    bool numbers = true;
    for (int k = 0; k < o.n_inputs + o.n_outputs; ++k)
      if (k >= o.n_inputs || node(i).input(k).ndim() == 0)
        numbers &= registers_[o.registers[k]].number;
    if (!numbers) steps_[i] = {.why = "a register of it is not always a number"};
  }
}

/// A memo body that runs once for all steps belongs to none of them.
void Plan::find_loops() {
  loop_at_.resize(schedule_.statements.size(), kNone);
  if (schedule_.loops.empty()) return;
  std::vector<std::uint32_t> loop_of;
  for (std::uint32_t b = 0; b < schedule_.blocks.size(); ++b)
    loop_of.push_back(schedule_.loop_of_block(b));
  const IndexedVector block_of = schedule_.block_of_statements();
  for (const StatementIndex i : block_of.indices()) loop_at_[i] = loop_of[block_of[i]];
}

void Plan::find_rematerialised_views() {
  if (!options_.fuse || options_.unfused) return;
  using Form = StepForm::Kind;
  // By register: an array that stays where it is; a value that nothing but members of nests reads.
  std::vector<bool> lasts(registers_.size()), is_for_nests(registers_.size());
  for (std::uint32_t r = 0; r < registers_.size(); ++r) {
    int writes = 0, others = 0, reads_of_nests = 0, moving = 0;
    for (const Touch& touch : touches(r)) {
      const StepIndex step = step_of(touch);
      const Form form = step == kNone ? Form::Kernel : steps_[step].kind;
      const bool read = touch.kind == Touch::Kind::Read;
      writes += touch.kind == Touch::Kind::Write;
      moving += touch.kind == Touch::Kind::Empty || (!read && form == Form::Mapped);
      (form == Form::Mapped || form == Form::Element ? reads_of_nests : others) += read;
    }
    lasts[r] = writes == 1 && moving == 0;
    is_for_nests[r] = writes == 1 && others == 0 && reads_of_nests > 0;
  }
  for (const Statement& s : schedule_.statements) {
    if (s.kind != Statement::Kind::Run || steps_[s.step()].kind != Form::Mapped) continue;
    const std::uint32_t out = schedule_.outputs_of(s)[0];
    // A segment of nothing else has no group after which anything could die.
    if (steps_[s.step()].map->rule().is_part && node(s.step()).input(0).ndim() > 0 &&
        lasts[schedule_.inputs_of(s)[0]] && is_for_nests[out] && s.n_dying == 0)
      registers_[out].rematerialised_view = s.step();
  }
}

std::vector<StepRange> Plan::not_reached(std::span<const Group> rest) const {
  std::vector<StepIndex> steps;
  for (const Group& group : rest)
    for (const StepIndex step : group.steps)
      if (accounts_for(group, step)) steps.push_back(step);
  std::sort(steps.begin(), steps.end());
  std::vector<StepRange> ranges;
  for (const StepIndex step : steps) {
    if (!ranges.empty() && ranges.back().second == step)
      ++ranges.back().second;
    else
      ranges.push_back({step, step + 1});
  }
  return ranges;
}

std::uint32_t Plan::most_thunks() const { return options_.unfused ? 1 : kFunctionThunks; }

void Plan::find_groups(const std::stop_token& stop) {
  const IndexedVector<StatementIndex, Statement>& statements = schedule_.statements;
  groups_.resize(statements.size());
  membership_.resize(steps_.size());
  for (StatementIndex i(0), next; i < statements.size(); i = next) {
    next = schedule_.next(i);
    if (statements[i].kind != Statement::Kind::Run) continue;
    go_on_unless(stop);
    groups_[i] = fuse(*this, std::span(statements).subspan(i, next - i));
    for (const Group& group : groups_[i])
      for (const StepIndex step : group.steps) {
        Membership& membership = membership_[step];
        if (membership.groups++ == 0) membership.first = &group;
        membership.nests += group.kind == Group::Kind::Nest;
      }
  }
}

/// The levels of memo bodies and loops in what a statement names; 0: the interpreter alone runs it.
std::uint8_t Plan::depth_of(const Statement& s) const {
  switch (subject_of(s)) {
    case OperandKind::Memo: return memo_depth_[s.index];
    case OperandKind::Loop: return loop_depth_[s.index];
    case OperandKind::Lazy: return 0;
    default: return 1;
  }
}

/// How many levels of memo bodies and loops are in each that emitted code calls by itself.
void Plan::find_depths() {
  memos_in_order_.resize(schedule_.memos.size());
  std::iota(memos_in_order_.begin(), memos_in_order_.end(), 0);
  // A body needs what its node depends on, and nodes are numbered behind those.
  std::ranges::sort(memos_in_order_, {}, [&](auto memo) { return schedule_.memos[memo].node; });
  std::vector<std::uint32_t> loops(schedule_.loops.size());
  std::iota(loops.begin(), loops.end(), 0);
  std::ranges::sort(loops, {}, [&](auto loop) { return schedule_.loops[loop].node; });
  memo_depth_.resize(schedule_.memos.size(), 0);
  loop_depth_.resize(schedule_.loops.size(), 0);
  const auto depth_of_body = [&](const Block& body) -> std::uint8_t {
    std::uint32_t thunks = 0;
    std::uint8_t depth = 0;
    for (StatementIndex i = body.begin; i < body.end; ++i) {
      const Statement& s = schedule_.statements[i];
      thunks += n_thunks(s);
      if (s.kind == Statement::Kind::Again) continue;  // of this body
      const std::uint8_t inner = depth_of(s);
      if (inner == 0) return 0;
      if (rule_of(s.kind).enters) depth = std::max(depth, inner);
    }
    const bool is_callable = depth < kMemoDepth && thunks > 0 && thunks <= most_thunks();
    return is_callable ? static_cast<std::uint8_t>(depth + 1) : std::uint8_t{0};
  };
  auto loop = loops.begin();
  const auto find_loops_up_to = [&](ProgramNode node) {  // a memo body may be that of a loop
    for (; loop != loops.end() && schedule_.loops[*loop].node <= node; ++loop)
      if (!options_.unfused && !options_.profiled)
        loop_depth_[*loop] = depth_of_body(schedule_.blocks[schedule_.loops[*loop].block]);
  };
  for (const std::uint32_t memo : memos_in_order_) {
    find_loops_up_to(schedule_.memos[memo].node);
    memo_depth_[memo] = depth_of_body(schedule_.body(memo));
  }
  find_loops_up_to(kNone);
}

void Plan::cut() {
  needs_.resize(schedule_.memos.size());
  outlined_at_.resize(schedule_.statements.size(), kNone);
  IndexedVector<StatementIndex, std::uint32_t> block_at(schedule_.statements.size(), kNone);
  for (std::uint32_t b = 0; b < schedule_.blocks.size(); ++b)
    if (schedule_.blocks[b].kind != Block::Kind::Arm) block_at[schedule_.blocks[b].begin] = b;
  bool open = false;
  for (StatementIndex i(0), next; i < schedule_.statements.size(); i = next) {
    const Statement& s = schedule_.statements[i];
    next = schedule_.next(i);
    if (s.kind == Statement::Kind::Need) needs_[s.index].push_back(i);
    if (!schedule_.has_instruction(s)) {
      if (open) outlined_.back().end = next;
      continue;
    }
    if (depth_of(s) == 0) {
      open = false;
      continue;
    }
    const std::uint32_t thunks = n_thunks(s) * (next - i);
    if (!open || block_at[i] != kNone || outlined_.back().thunks + thunks > most_thunks())
      outlined_.push_back({.begin = i, .block = block_at[i]});
    open = true;
    OutlinedFunction& outlined = outlined_.back();
    outlined.end = next;
    outlined.thunks += thunks;
    outlined.emitted |= s.kind == Statement::Kind::Branch || s.kind == Statement::Kind::Loop;
    for (const Group& group : groups(i))
      outlined.emitted |=
          group.kind != Group::Kind::Call || program_.steps[group.steps.front()].run != &run_bound;
    std::fill(outlined_at_.begin() + i, outlined_at_.begin() + next,
              static_cast<std::uint32_t>(outlined_.size() - 1));
  }
  // A memo body is a function where emitted code calls it without the interpreter.
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
    const auto elsewhere = [&](StatementIndex need) { return outlined_at_[need] != into; };
    if (std::ranges::any_of(needs_[*memo], elsewhere) ||
        function.thunks + body.thunks > most_thunks())
      continue;
    std::fill(outlined_at_.begin() + body.begin, outlined_at_.begin() + body.end, into);
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
  const auto is_end = [&](const Statement& s) {
    return s.kind == Statement::Kind::End && schedule_.blocks[s.index].kind != Block::Kind::Arm;
  };
  for (OutlinedFunction& outlined : outlined_) outlined.entries = {outlined.begin};
  const auto lead = [&](StatementIndex from, StatementIndex to) {
    to = schedule_.with_instruction(to);
    const std::uint32_t outlined = outlined_at_[to];
    if (outlined != kNone && outlined != outlined_at_[from] && !is_end(schedule_.statements[to]))
      outlined_[outlined].entries.push_back(to);
  };
  for (const StatementIndex i : schedule_.statements.indices()) {
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

void Plan::find_storage() {
  std::vector<std::uint32_t> temporaries;
  for (std::uint32_t r = 0; r < registers_.size(); ++r) {
    RegisterForm& form = registers_[r];
    const auto is_read_outside = [&](const Touch& touch) { return this->is_read_outside(touch); };
    form.read_outside = std::ranges::any_of(touches(r), is_read_outside);
    if (options_.unfused) continue;
    form.local = form.number && is_local(r);
    if (program_.retain_intermediates || !form.read_outside || !is_temporary(r)) continue;
    temporaries.push_back(r);
    form.shape_only = std::ranges::none_of(touches(r), [&](const Touch& touch) {
      return is_read_outside(touch) && !steps_[step_of(touch)].is_lengths();
    });
  }
  find_states();
  n_temporaries_ = temporaries.size();
  const std::size_t bytes = CallMemory::slot_bytes(n_temporaries_);
  for (std::size_t i = 0; i < n_temporaries_; ++i)
    registers_[temporaries[i]].temporary = static_cast<std::uint32_t>(i * bytes);
}

/// The number that goes from step to step of a loop of emitted code is a variable of it, if nothing
/// but what it begins with comes from outside.
void Plan::find_states() {
  for (std::uint32_t l = 0; l < schedule_.loops.size(); ++l) {
    const std::uint32_t function = loop_function(l);
    if (function == kNone) continue;
    for (const std::uint32_t reg : schedule_.loops[l].states) {
      RegisterForm& form = registers_[reg];
      const bool is_inside = std::ranges::all_of(touches(reg), [&](const Touch& touch) {
        if (touch.statement == kNone || touch.kind == Touch::Kind::Empty) return true;
        if (outlined_at_[touch.statement] != function || loop_at_[touch.statement] != l)
          return touch.kind == Touch::Kind::Write && step_of(touch) == kNone;
        return !is_of_kernel(touch);
      });
      if (!form.number || !is_inside) continue;
      form.local = true;
      form.state_of = function;
    }
  }
}

/// What a step reads that is a member of several nests is read outside of each.
bool Plan::is_read_outside(const Touch& touch) const {
  if (touch.kind != Touch::Kind::Read) return false;
  const StepIndex by = step_of(touch);
  if (by == kNone || membership_[by].groups != 1) return true;
  return std::ranges::none_of(membership_[by].first->steps, [&](StepIndex step) {
    return output(step) == inputs(by)[touch.input];
  });
}

/// True if the code calls a kernel there.
bool Plan::is_of_kernel(const Touch& touch) const {
  const StepIndex step = step_of(touch);
  return step != kNone && !is_in_nests_only(step) && !steps_[step].is_expression();
}

/// True if the variables of a function keep what a step of the loop computes for as long as that is
/// asked for; kNone: what the call computes. A function begins with new ones, and a memo body that
/// is done does not run for it again.
bool Plan::keeps_values_of(std::uint32_t function, std::uint32_t loop) const {
  const OutlinedFunction& outlined = outlined_[function];
  const std::uint32_t entered_in = loop_at_[outlined.begin];
  if (loop == entered_in) return true;
  // All steps of a loop of emitted code are one call of its function.
  return entered_in != kNone && loop_function(entered_in) == function &&
         loop == schedule_.loops[entered_in].loop;
}

/// True if one function alone touches the number, and calls nothing that does.
bool Plan::is_local(std::uint32_t reg) const {
  std::uint32_t function = kNone, loop = kNone;
  for (const Touch& touch : touches(reg)) {
    if (touch.kind == Touch::Kind::Empty) continue;
    if (touch.statement == kNone || is_of_kernel(touch)) return false;
    const std::uint32_t by = outlined_at_[touch.statement], in = loop_at_[touch.statement];
    if (by == kNone || (function != kNone && (by != function || in != loop))) return false;
    function = by;
    loop = in;
  }
  return function != kNone && keeps_values_of(function, loop);
}

/// True of an array that one nest computes and nothing but other nests reads.
bool Plan::is_temporary(std::uint32_t reg) const {
  int writes = 0;
  return std::ranges::all_of(touches(reg), [&](const Touch& touch) {
    if (touch.kind == Touch::Kind::Empty) return true;
    // A rematerialised view is a part of an array that is to last.
    const StepIndex step = step_of(touch);
    if (step == kNone || !is_in_nests_only(step) || is_rematerialised(step)) return false;
    const StepForm& form = steps_[step];
    if (touch.kind == Touch::Kind::Read) return !form.compares(touch.input);
    return ++writes == 1 && membership_[step].groups == 1 && form.ndim <= kInlineDims &&
           form.kind != StepForm::Kind::Reduction;
  });
}

}  // namespace thunkvm
