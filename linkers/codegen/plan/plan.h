// plan.h: the plan of a program's C: the stretches that become functions, the registers that become
// their variables, and the steps that share nests.
//
// An *outlined function* is a stretch of the schedule's statements that becomes one C function. Its
// code only jumps forward. So a register that no other code touches can be a variable of the
// function, if all its touches are in one step of a loop. A memo body that runs once for many steps
// is a part of the function, too: its values are variables if one call runs all these steps. A
// *group* is computed at once: a 0-d node as an expression (a length and one element of an array
// too), several array nodes as a fused nest, or a call of the node's own kernel. Fusing stays
// within one segment (a Run instruction), where all nodes are demanded together: so nothing crosses
// a border of demand.
#pragma once

#include "linkers/codegen/plan/plan_options.h"
#include "linkers/codegen/plan/step_form.h"
#include "linkers/schedule/schedule.h"
#include "linkers/schedule/touches.h"
#include "ops/graph/shape_facts.h"
#include "ops/graph/variable.h"
#include "vm/native.h"
#include "vm/native_steps.h"
#include "vm/program.h"

#include <cstdint>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace thunkvm {

/// The contents of a register, and their place.
struct RegisterForm {
  bool number = false;  ///< always a 0-d number with a type in C, or empty
  DType dtype = DType::Object;
  /// The step that makes a rematerialised view in it: a part of an array that stays in place to the
  /// end of the call, and that nests alone read. Each nest finds the part for itself. Else kNone.
  StepIndex rematerialised_view{};
  bool read_outside = false;  ///< by other code than the groups that write it
  bool local = false;         ///< a variable of its function
  /// The function of the loop that it is a state of: a variable there, a register everywhere else.
  std::uint32_t state_of = kNone;
  std::uint32_t temporary = kNone;  ///< its slot (call_memory.h), where only nests see it
  bool shape_only = false;          ///< of a temporary: nothing but its lengths is read
};

struct Group {
  using Kind = GroupKind;
  Kind kind = Kind::Call;
  std::vector<StepIndex> steps;          ///< in Program::steps, in order (Plan::comes_before)
  std::vector<std::uint32_t> retired{};  ///< registers emptied after it
};

struct OutlinedFunction {
  StatementIndex begin{}, end{};  ///< it may have a part of a block
  std::uint32_t block = kNone;    ///< the block that begins with it and is no arm; kNone: none
  std::vector<StatementIndex> entries{};  ///< where it may be entered, in order
  std::uint32_t thunks = 0;
  bool emitted = false;  ///< while the plan is made; false: the interpreter runs it
  /// Memo bodies that only this function needs, and that are parts of it, each behind those that
  /// need it.
  std::vector<std::uint32_t> bodies{};
};

/// Throws Error (Interrupted) if it is to stop.
void go_on_unless(const std::stop_token& stop);

class Plan {
 public:
  /// Any thread may do this: it copies no variable of the schedule, and reads no name. Throws Error
  /// (Interrupted) once it is to stop.
  Plan(const Program& program, const Schedule& schedule, const ShapeFacts& shapes,
       const PlanOptions& options, const std::stop_token& stop);

  const Program& program() const { return program_; }
  const Schedule& schedule() const { return schedule_; }
  const ShapeFacts& shapes() const { return shapes_; }
  const PlanOptions& options() const { return options_; }
  const std::vector<OutlinedFunction>& outlined() const { return outlined_; }
  /// The function of a statement; kNone: the interpreter runs it.
  std::uint32_t outlined_at(StatementIndex statement) const { return outlined_at_[statement]; }
  const StepForm& step(StepIndex index) const { return steps_[index]; }
  const Apply& node(StepIndex step) const {
    return *schedule_.nodes[program_.steps[step].node].node();
  }
  /// The registers of a step: of its inputs, of its outputs, and of the first of these.
  std::span<const std::uint32_t> inputs(StepIndex step) const {
    const Operands& o = program_.steps[step].operands;
    return {o.registers, o.n_inputs};
  }
  std::span<const std::uint32_t> outputs(StepIndex step) const {
    const Operands& o = program_.steps[step].operands;
    return {o.registers + o.n_inputs, o.n_outputs};
  }
  std::span<const std::uint32_t> operands(StepIndex step) const {
    const Operands& o = program_.steps[step].operands;
    return {o.registers, std::size_t{o.n_inputs} + o.n_outputs};
  }
  std::uint32_t output(StepIndex step) const { return outputs(step)[0]; }
  /// True if it has more than calls of kernels: else the interpreter is as good.
  bool gains() const;
  const RegisterForm& reg(std::uint32_t index) const { return registers_[index]; }
  /// The outlined function that a memo body is, or is a part of.
  std::uint32_t memo_function(std::uint32_t memo) const {
    return outlined_at_[schedule_.body(memo).begin];
  }
  /// The outlined function that a loop is, which emitted code calls; kNone: the machine runs it.
  std::uint32_t loop_function(std::uint32_t loop) const {
    return loop_depth_[loop] == 0
               ? kNone
               : outlined_at_[schedule_.blocks[schedule_.loops[loop].block].begin];
  }
  std::size_t n_temporaries() const { return n_temporaries_; }
  /// The groups of a Run and those that share its instruction, in the order that is emitted.
  const std::vector<Group>& groups(StatementIndex first_run) const { return groups_[first_run]; }
  /// True if the group notes whether the step was reached: the first of the groups that have an
  /// index map. No group does so for a rematerialised view.
  bool accounts_for(const Group& group, StepIndex step) const {
    return membership_[step].first == &group && !is_rematerialised(step);
  }
  /// True if nests alone run the step.
  bool is_in_nests_only(StepIndex step) const {
    return membership_[step].groups == membership_[step].nests;
  }
  /// The steps of a segment that are not reached if the group in front of its last ones, `rest`,
  /// fails.
  std::vector<StepRange> not_reached(std::span<const Group> rest) const;
  bool is_rematerialised(StepIndex step) const {
    return reg(output(step)).rematerialised_view == step;
  }
  /// The order of a nest's members: rematerialised views first, which may stand behind it in the
  /// program; then the others as in the program.
  bool comes_before(StepIndex a, StepIndex b) const {
    const bool a_view = is_rematerialised(a), b_view = is_rematerialised(b);
    return a_view != b_view ? a_view : a < b;
  }
  /// The number of Needs of the memo body.
  std::size_t needs(std::uint32_t memo) const { return needs_[memo].size(); }
  std::span<const Touch> touches(std::uint32_t reg) const { return touches_.of(reg); }
  /// The step that reads or writes there; kNone: none does.
  StepIndex step_of(const Touch& touch) const {
    if (touch.statement == kNone || touch.kind == Touch::Kind::Empty) return kNone;
    const Statement& s = schedule_.statements[touch.statement];
    return s.kind == Statement::Kind::Run ? s.step() : kNone;
  }

 private:
  void find_forms();
  std::uint32_t most_thunks() const;
  std::uint8_t depth_of(const Statement& s) const;
  void find_rematerialised_views();
  void find_groups(const std::stop_token& stop);
  void find_depths();
  void cut();
  void take_in_bodies();
  void leave_out_others();
  void find_entries();
  void find_storage();
  bool is_read_outside(const Touch& touch) const;
  bool is_of_kernel(const Touch& touch) const;
  void find_loops();
  void find_states();
  bool keeps_values_of(std::uint32_t function, std::uint32_t loop) const;
  bool is_local(std::uint32_t reg) const;
  bool is_temporary(std::uint32_t reg) const;

  const Program& program_;
  const Schedule& schedule_;
  const ShapeFacts& shapes_;
  const PlanOptions options_;
  IndexedVector<StepIndex, StepForm> steps_;
  std::vector<RegisterForm> registers_;
  const Touches touches_;
  std::vector<std::vector<StatementIndex>> needs_;  ///< by memo
  std::vector<std::uint8_t> memo_depth_;            ///< by memo; 0: not called by emitted code
  std::vector<std::uint8_t> loop_depth_;            ///< by loop, likewise
  std::vector<std::uint32_t> memos_in_order_;       ///< each behind those that it needs
  std::vector<OutlinedFunction> outlined_;
  IndexedVector<StatementIndex, std::uint32_t> outlined_at_;
  IndexedVector<StatementIndex, std::uint32_t>
      loop_at_;  ///< the loop in which it runs; kNone: none
  IndexedVector<StatementIndex, std::vector<Group>> groups_;  ///< of each segment's first one
  struct Membership {
    std::uint32_t groups = 0, nests = 0;  ///< how many groups and nests have the step
    const Group* first = nullptr;
  };
  IndexedVector<StepIndex, Membership> membership_;
  std::size_t n_temporaries_ = 0;
};

}  // namespace thunkvm
