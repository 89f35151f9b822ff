#include "linkers/codegen/emit/outlined_code.h"

#include "linkers/codegen/emit/array_reads.h"
#include "linkers/codegen/emit/function_writer.h"
#include "linkers/codegen/emit/limits.h"
#include "linkers/codegen/emit/nest_body.h"
#include "linkers/schedule/assembler.h"
#include "ops/graph/c_template.h"
#include "vm/recorder.h"

#include <algorithm>
#include <map>
#include <ranges>

namespace thunkvm {

class OutlinedCode {
 public:
  OutlinedCode(const Plan& plan, std::uint32_t outlined, EmittedCode& out, ModuleText& module)
      : plan_(plan),
        program_(plan.program()),
        schedule_(plan.schedule()),
        outlined_(outlined),
        out_(out),
        module_(module),
        c_(plan, outlined) {}

  void emit() {
    const OutlinedFunction& outlined = plan_.outlined()[outlined_];
    CText entries(1);
    if (outlined.entries.size() > 1) entries.line("switch (label) {");
    for (std::size_t i = 1; i < outlined.entries.size(); ++i)
      entries.line("case ", i, ": ", c_.go(outlined.entries[i]));
    if (outlined.entries.size() > 1) entries.line("}");
    if (outlined.block != kNone && schedule_.blocks[outlined.block].kind == Block::Kind::Loop)
      begin_steps(schedule_.blocks[outlined.block].owner);
    const StatementIndex next = with_instruction(outlined.end);
    if (emit_range(outlined.begin, outlined.end, next)) c_.text.line(c_.leave(next));
    for (const std::uint32_t memo : outlined.bodies) emit_body(memo);
    for (const std::uint32_t memo : outlined.bodies | std::views::reverse) emit_failure(memo);
    c_.text.close();
    c_.text.verbatim("\n");
    const std::string name = join("function_", outlined_);
    CText head;
    head.open("u32 ", name, "(tv_call *call, u32 label) {");
    if (outlined.block != kNone && schedule_.blocks[outlined.block].kind == Block::Kind::Memo)
      head.annotate(title(schedule_.blocks[outlined.block].owner));
    c_.declare(head);
    for (const auto& [memo, needs] : needs_)
      if (is_within(memo) && plan_.needs(memo) > 1) head.line("u32 from_", memo, " = 0;");
    module_.outlined.append(std::move(head));
    module_.outlined.append(std::move(entries));
    module_.outlined.append(std::move(c_.text));
    out_.functions_.push_back({out_.texts_.size(), name});
  }

 private:
  /// The statements in [begin, end). `next` is the one that what comes after them leads to. True:
  /// it may end there.
  bool emit_range(StatementIndex begin, StatementIndex end, StatementIndex next) {
    bool ends = true;
    for (StatementIndex i = begin; i < end;) {
      const Statement& s = schedule_.statements[i];
      if (!schedule_.has_instruction(s)) {
        ++i;
        continue;
      }
      c_.label(i);
      if (s.kind == Statement::Kind::Branch) {
        // An arm that lies in another function, in part or as a whole, is gone to.
        const StatementIndex after = schedule_.after(schedule_.branches[s.index]);
        ends = after <= end;
        emit_branch(s, ends, after == end ? next : with_instruction(after));
        i = ends ? after : i + 1;
        continue;
      }
      if (s.kind == Statement::Kind::Again) return emit_again(s);
      ends = true;
      if (s.kind == Statement::Kind::End)
        ends = emit_end(i, i + 1 == end ? next : with_instruction(i + 1));
      else
        emit_statement(i);
      i = schedule_.next(i);
    }
    return ends;
  }

  void emit_statement(StatementIndex i) {
    const Statement& s = schedule_.statements[i];
    switch (s.kind) {
      case Statement::Kind::Run: emit_run(i); return;
      case Statement::Kind::Move: emit_move(s); return;
      case Statement::Kind::Need: emit_need(i); return;
      case Statement::Kind::Retire: c_.retire(schedule_.dying_in(s)); return;
      case Statement::Kind::Loop: emit_loop(s); return;
      default: return;  // emit_range's, or in no outlined function
    }
  }

  /// The end of a block; `next` is what follows. True: control comes there.
  bool emit_end(StatementIndex end, StatementIndex next) {
    const Block& block = schedule_.blocks[schedule_.statements[end].index];
    if (block.kind != Block::Kind::Arm) {
      c_.text.line(c_.leave(end));
      return false;
    }
    const StatementIndex to = with_instruction(schedule_.after(schedule_.branches[block.owner]));
    if (to != next) c_.text.line(c_.go(to));
    return to == next;
  }

  /// With those that share its instruction.
  void emit_run(StatementIndex first) {
    c_.count(schedule_.statements[first].counter);
    const std::vector<Group>& groups = plan_.groups(first);
    for (std::size_t u = 0; u < groups.size(); ++u) {
      const Group& group = groups[u];
      for (const StepIndex step : group.steps) c_.text.node(program_.steps[step].node);
      if (plan_.options().traced) tell("before", group);
      const auto rest = std::span(groups).subspan(u + 1);
      switch (group.kind) {
        case Group::Kind::Expression: emit_expression(group, rest); break;
        case Group::Kind::Nest: emit_nest_call(group, rest); break;
        case Group::Kind::Call: emit_call(group, rest); break;
      }
      if (plan_.options().traced) tell("after", group);
      c_.retire(kept(group));
      if (profiled()) lap(group, u + 1 == groups.size() ? nullptr : &groups[u + 1]);
    }
  }

  /// Ends a lap of a profiled program. Expressions that follow each other are one: a read of the
  /// clock costs more than each.
  void lap(const Group& group, const Group* next) {
    const bool expression = group.kind == Group::Kind::Expression;
    for (const StepIndex step : group.steps) lap_.push_back(program_.steps[step].node);
    const std::uint32_t reg = plan_.output(group.steps.front());
    if (expression && c_.is_variable(reg)) c_.text.line("TV_DONE(", c_.read(reg), ");");
    if (expression && next != nullptr && next->kind == group.kind) return;
    const std::size_t site = Recorder::first_group(program_) + out_.groups.size();
    c_.call("lap", site);
    out_.groups.push_back({std::exchange(lap_, {}), group.kind});
  }

  /// What a group retires: the values of a nest that only its members read were never there.
  std::vector<std::uint32_t> kept(const Group& group) {
    std::vector<std::uint32_t> retired = group.retired;
    if (group.kind == Group::Kind::Nest)
      std::erase_if(retired, [&internal = out_.nests.back().internal](std::uint32_t reg) {
        return std::ranges::count(internal, reg) != 0;
      });
    return retired;
  }

  /// `when`: "before" or "after".
  void tell(const std::string& when, const Group& group) {
    for (const StepIndex step : group.steps) c_.call_or_fail(when, step);
  }

  std::string region() const { return join("function ", outlined_); }

  void emit_expression(const Group& group, std::span<const Group> rest) {
    const StepIndex step = group.steps.front();
    out_.forms_[program_.steps[step].node] = {ThunkForm::Emitted, region(), ""};
    switch (plan_.step(step).kind) {
      case StepForm::Kind::Length: write_length(plan_, step, c_); return;
      case StepForm::Kind::Pick: write_pick(plan_, step, add_call(step, 0, rest), c_); return;
      default: write_number(step); return;
    }
  }

  void write_number(StepIndex step) {
    const ElementCode& code = *plan_.step(step).code;
    std::vector<std::string> inputs;
    for (const std::uint32_t reg : plan_.inputs(step)) inputs.push_back(c_.read(reg));
    const std::uint32_t out = plan_.output(step);
    const DType dtype = plan_.reg(out).dtype;
    if (code.c_function != nullptr)
      module_.functions.emplace(c_function_name(code.op, dtype),
                                CTemplate(code.c_function).fill(code.op, dtype));
    c_.write(out, plan_.step(step).c->fill(code.op, dtype, inputs));
  }

  /// The number of a call of a step's kernel, in which these inputs die.
  std::size_t add_call(StepIndex step, std::uint32_t dying, std::span<const Group> rest) {
    out_.calls.push_back(
        {.steps = {program_.steps[step]}, .indices = {step}, .after = plan_.not_reached(rest)});
    out_.calls.back().steps[0].operands.dying = dying;
    return out_.calls.size() - 1;
  }

  void emit_call(const Group& group, std::span<const Group> rest) {
    const StepIndex step = group.steps.front();
    const std::uint32_t dying =
        plan_.options().traced ? 0 : dying_inputs(program_.steps[step].operands, group.retired);
    c_.annotate_call(plan_.inputs(step), plan_.outputs(step));
    c_.call_or_fail("run", add_call(step, dying, rest));
    const char* why = plan_.step(step).why;
    if (*why == '\0')
      why = plan_.options().fuse ? "no neighbour can be fused with it" : "the mode fuses nothing";
    out_.forms_[program_.steps[step].node] = {std::nullopt, region(), why};
  }

  void emit_nest_call(const Group& group, std::span<const Group> rest) {
    const std::size_t index = out_.nests.size();
    EmittedNest nest = write_nest(plan_, group, plan_.not_reached(rest), index, module_, c_);
    for (const StepIndex step : group.steps)
      if (plan_.accounts_for(group, step) || plan_.is_rematerialised(step))
        out_.forms_[program_.steps[step].node] = {ThunkForm::Fused,
                                                  join(region(), ", nest ", index), ""};
    out_.bodies_.push_back({out_.texts_.size(), std::move(nest.body)});
    out_.nests.push_back(std::move(nest.fused));
  }

  /// With its arms, which lead to `next`; `whole`: else these are elsewhere.
  void emit_branch(const Statement& s, bool whole, StatementIndex next) {
    const ScheduledBranch& branch = schedule_.branches[s.index];
    const RegisterForm& form = plan_.reg(branch.selector);
    const bool truth = branch.decoding == Decoding::Truth;
    for (const ProgramNode conditional : schedule_.decided_by(branch)) {
      c_.text.node(conditional);
      out_.forms_[conditional] = {std::nullopt, region(), ""};
    }
    // A service says which arm a value other than a number takes, and what is wrong with one.
    const auto arm = [&] {
      const std::string cell = c_.is_variable(branch.selector) ? c_.cell_of_local(branch.selector)
                                                               : c_.cell(branch.selector);
      return join(c_.service("arm"), "(call, ", s.index, ", &", cell, ")");
    };
    const bool asks = !form.number || (!truth && is_float(form.dtype));
    const std::string selector = asks ? "arm" : c_.read(branch.selector);
    if (asks) {
      c_.text.open("{");
      c_.text.line("const u32 arm = ", arm(), ";");
      c_.text.line("if (arm == TV_FAILED) ", c_.fail());
    } else if (truth && is_float(form.dtype)) {
      c_.text.line("if (", selector, " != ", selector, ") ", c_.fail(arm()));
    } else if (branch.decoding == Decoding::Index) {
      c_.text.line("if ((u64)", selector, " >= ", branch.n_arms, ") ", c_.fail(arm()));
    }
    // An arm's number may be none of the selector's type.
    c_.text.open(truth ? "if (" : asks ? "switch (" : "switch ((i64)", selector, ") {");
    if (truth) {
      emit_arm(s, 1, whole, next);
      c_.text.close("} else {");
      c_.text.indent();
      emit_arm(s, 0, whole, next);
    }
    for (std::uint32_t a = 0; a < branch.n_arms && !truth; ++a) {
      const bool last = a + 1 == branch.n_arms;
      last ? c_.text.open("default: {") : c_.text.open("case ", a, ": {");
      if (emit_arm(s, a, whole, next) && !last) c_.text.line("break;");
      c_.text.close();
    }
    c_.text.close();
    if (asks) c_.text.close();
  }

  bool emit_arm(const Statement& s, std::uint32_t arm, bool whole, StatementIndex next) {
    const ScheduledBranch& branch = schedule_.branches[s.index];
    const Block& block = schedule_.arm(branch, arm);
    if (s.takes) c_.retire(std::span(&branch.selector, 1));
    c_.count(s.counter + arm);
    if (profiled()) c_.call("took", s.index, ", ", arm);
    if (whole) return emit_range(block.begin, block.end, next);
    c_.text.line(c_.go(with_instruction(block.begin)));
    return false;
  }

  void emit_move(const Statement& s) {
    c_.count(s.counter);
    if (plan_.reg(s.to).number && plan_.reg(s.from).number) {
      c_.write(s.to, c_.read(s.from));
      if (s.takes) c_.retire(std::span(&s.from, 1));
      return;
    }
    c_.text.line(c_.service("move"), "(&", c_.cell(s.to), ", &", c_.cell(s.from), ", ",
                 s.takes ? "1" : "0", ");");
  }

  void emit_need(StatementIndex i) {
    const std::uint32_t memo = schedule_.statements[i].index;
    std::vector<Need>& needs = needs_[memo];
    c_.text.annotate({{"needs ", schedule_.memos[memo].node}});
    c_.text.open("if (call->done[", memo, "] != TV_COMPUTED) {");
    if (profiled()) c_.call("enter_body", memo, ", ", c_.pc(i));
    c_.call_or_fail("begin_memo", memo);
    if (is_within(memo)) {
      if (plan_.needs(memo) > 1) c_.text.line("from_", memo, " = ", needs.size(), ";");
      c_.text.line("goto memo_", memo, ";");
      c_.text.label("after_", c_.pc(i));
    } else {
      c_.text.line("if (call->functions[", plan_.memo_function(memo), "](call, 0) == TV_FAILED) ",
                   c_.fail(join(c_.service("fail_memo"), "(call, ", memo, ")")));
    }
    needs.push_back({i, c_.body()});
    if (profiled()) c_.text.line(c_.service("leave_body"), "(call);");
    c_.text.close();
  }

  // ---- loops ----

  /// The head of a step. What a state begins with is in its register.
  void begin_steps(std::uint32_t loop) {
    if (plan_.loop_function(loop) != outlined_) return;
    for (const std::uint32_t state : schedule_.loops[loop].states) c_.load(state);
    c_.text.label("step_", loop);
  }

  void emit_loop(const Statement& s) {
    c_.count(s.counter);
    c_.text.node(s.node);
    c_.call("begin_loop", s.index);
    c_.text.line("if (call->functions[", plan_.loop_function(s.index), "](call, 0) == TV_FAILED) ",
                 c_.fail());
    out_.forms_[s.node] = {std::nullopt, region(), ""};
  }

  /// The next step; every so many ask whether to go on. False: control does not come behind it.
  bool emit_again(const Statement& s) {
    c_.count(s.counter);
    for (const std::uint32_t body : program_.loops[s.index].bodies)
      c_.text.line("call->done[", body, "] = 0;");
    c_.text.line("if (N[", s.counter, "] % ", kStepsPerPoll, " == 0 && ", c_.service("poll"),
                 "(call, ", kStepsPerPoll, ")) ", c_.fail());
    c_.text.line("goto step_", s.index, ";");
    return false;
  }

  // ---- memo bodies that are parts of the function ----

  Annotation title(std::uint32_t memo) const {
    return {{join("memo ", memo, ": "), schedule_.memos[memo].node}};
  }

  /// Behind the function's own code, and left for where it was gone to from.
  void emit_body(std::uint32_t memo) {
    const Block& block = schedule_.body(memo);
    const StatementIndex last = block.end - 1;
    c_.begin_body(memo);
    c_.text.annotate(title(memo));
    c_.text.label("memo_", memo);
    emit_range(block.begin, last, last);
    c_.label(last);
    leave(memo,
          [this](const Need& need) { return join("goto after_", c_.pc(need.statement), ";"); });
  }

  /// Where a body goes that has failed.
  void emit_failure(std::uint32_t memo) {
    if (!c_.may_fail(memo)) return;
    c_.text.label("failed_", memo);
    c_.text.line(c_.service("fail_memo"), "(call, ", memo, ");");
    leave(memo, [this](const Need& need) {
      c_.begin_body(need.body);
      return c_.fail();
    });
  }

  /// The end of a body. `way(need)`: where it goes on for the Need that it was run for.
  template <class Way>
  void leave(std::uint32_t memo, Way way) {
    std::vector<std::string> ways;
    for (const Need& need : needs_.at(memo)) ways.push_back(way(need));
    c_.begin_body(kNone);
    if (std::ranges::count(ways, ways[0]) == std::ssize(ways)) return c_.text.line(ways[0]);
    c_.text.open("switch (from_", memo, ") {");
    for (std::size_t i = 0; i < ways.size(); ++i)
      c_.text.line(i + 1 < ways.size() ? join("case ", i) : "default", ": ", ways[i]);
    c_.text.close();
  }

  StatementIndex with_instruction(StatementIndex i) const { return schedule_.with_instruction(i); }
  bool profiled() const { return plan_.options().profiled; }
  bool is_within(std::uint32_t memo) const { return plan_.memo_function(memo) == outlined_; }

  const Plan& plan_;
  const Program& program_;
  const Schedule& schedule_;
  const std::uint32_t outlined_;
  EmittedCode& out_;
  ModuleText& module_;
  FunctionWriter c_;
  struct Need {
    StatementIndex statement;
    std::uint32_t body;  ///< the memo body that it stands in; kNone: the function's own code
  };
  std::map<std::uint32_t, std::vector<Need>> needs_;  // by memo: those that are written
  std::vector<ProgramNode> lap_;                      // nodes of the lap that has not ended
};

void emit_outlined(const Plan& plan, std::uint32_t outlined, EmittedCode& out, ModuleText& module) {
  OutlinedCode(plan, outlined, out, module).emit();
}

}  // namespace thunkvm
