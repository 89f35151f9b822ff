#include "linkers/schedule/assembler.h"

#include <algorithm>

namespace thunkvm {

std::uint32_t dying_inputs(const Operands& operands, std::span<const std::uint32_t> retired) {
  const std::span inputs(operands.registers, operands.n_inputs);
  std::uint32_t dying = 0;
  for (const std::uint32_t index : retired) {
    const auto first = std::find(inputs.begin(), inputs.end(), index) - inputs.begin();
    if (first < std::min<int>(operands.n_inputs, Operands::kDyingInputs) &&
        std::count(inputs.begin(), inputs.end(), index) == 1)
      dying |= 1u << first;
  }
  return dying;
}

namespace {

class Assembler {
 public:
  Assembler(Schedule& schedule, std::span<const ThunkCode* const> thunks, bool traced)
      : schedule_(schedule), thunks_(thunks), traced_(traced) {}

  Program run() {
    copy_registers();
    const auto n_runs = static_cast<std::size_t>(
        std::ranges::count(schedule_.statements, Statement::Kind::Run, &Statement::kind));
    program_.steps.reserve(n_runs);
    program_.node_counters.reserve(n_runs);
    bool is_running = false;  // the statement before is a Run
    for (Statement& statement : schedule_.statements) {
      statement.pc = pc();
      assemble(statement, is_running);
      is_running = statement.kind == Statement::Kind::Run;
    }
    add_bodies();
    const auto in_order = [](const NodeCounter& a, const NodeCounter& b) {
      return a.node != b.node ? a.node < b.node : a.counter < b.counter;
    };
    if (!std::ranges::is_sorted(program_.node_counters, in_order))  // straight code is
      std::ranges::sort(program_.node_counters, in_order);
    return std::move(program_);
  }

 private:
  Pc pc() const { return program_.code.end_index(); }
  Pc entry(const Block& block) const { return schedule_.statements[block.begin].pc; }

  void copy_registers() {
    program_.n_registers = static_cast<std::uint32_t>(schedule_.registers.size());
    program_.n_nodes = static_cast<std::uint32_t>(schedule_.nodes.size());
    program_.registers = schedule_.operands;
    program_.retires = schedule_.dying;
    program_.inputs = schedule_.inputs;
    program_.shared = schedule_.shared;
    program_.outputs = schedule_.outputs;
    program_.updates = schedule_.updates;
    program_.retain_intermediates = schedule_.retain_intermediates;
    for (const std::uint32_t reg : schedule_.constants)
      program_.constants.emplace_back(reg, schedule_.registers[reg].constant_value());
  }

  void add_bodies() {
    program_.loops.resize(schedule_.loops.size());
    for (const ScheduledMemo& memo : schedule_.memos) {
      if (memo.loop != kNone)
        program_.loops[memo.loop].bodies.push_back(
            static_cast<std::uint32_t>(program_.bodies.size()));
      program_.bodies.push_back(
          {.pc = entry(schedule_.blocks[memo.block]), .node = memo.node, .loop = memo.loop});
    }
    for (std::uint32_t l = 0; l < schedule_.lazies.size(); ++l) {
      const ScheduledLazy& lazy = schedule_.lazies[l];
      program_.lazies[l].first_body = static_cast<std::uint32_t>(program_.bodies.size());
      program_.lazies[l].loop = lazy.loop;
      if (lazy.loop != kNone) program_.loops[lazy.loop].lazies.push_back(l);
      for (std::uint32_t input = 0; input < lazy.n_inputs; ++input)
        program_.bodies.push_back({.kind = Body::Kind::Input,
                                   .pc = entry(schedule_.blocks[lazy.first_block + input]),
                                   .owner = l,
                                   .number = input,
                                   .loop = lazy.loop});
    }
    for (std::uint32_t l = 0; l < schedule_.loops.size(); ++l) {
      const ScheduledLoop& scheduled = schedule_.loops[l];
      ProgramLoop& loop = program_.loops[l];
      loop.node = scheduled.node;
      loop.body = static_cast<std::uint32_t>(program_.bodies.size());
      loop.branch = scheduled.branch;
      loop.counter = schedule_.again(scheduled).counter;
      loop.states = scheduled.states;
      loop.left = scheduled.left;
      program_.bodies.push_back({.kind = Body::Kind::Loop,
                                 .pc = entry(schedule_.blocks[scheduled.block]),
                                 .node = scheduled.node,
                                 .number = l,
                                 .loop = scheduled.loop});
    }
  }

  void emit(Opcode op, std::uint32_t a = 0, std::uint32_t b = 0, std::uint32_t c = 0,
            std::uint8_t flag = 0) {
    program_.code.push_back({op, flag, 0, a, b, c});
  }
  void count(ProgramNode node, std::uint32_t counter) {
    program_.node_counters.push_back({node, counter});
  }

  void assemble(Statement& s, bool is_running) {
    switch (s.kind) {
      case Statement::Kind::Run: assemble_run(s, is_running); return;
      case Statement::Kind::Branch: assemble_branch(s); return;
      case Statement::Kind::Move: assemble_move(s); return;
      case Statement::Kind::Need: emit(Opcode::Need, s.index); return;
      case Statement::Kind::Demand:
        add_lazies(s.index);
        emit(Opcode::Lazy, s.index, s.output);
        return;
      case Statement::Kind::Retire: emit(Opcode::Retire, s.first_dying, s.n_dying); return;
      case Statement::Kind::Release:
        add_lazies(s.index);
        emit(Opcode::Release, s.index);
        return;
      case Statement::Kind::Loop:
        s.counter = program_.n_counters++;
        count(s.node, s.counter);
        return emit(Opcode::Loop, s.index, s.counter);
      case Statement::Kind::Again:
        s.counter = program_.n_counters++;
        return emit(Opcode::Again, s.index, s.counter);
      case Statement::Kind::End: assemble_end(schedule_.blocks[s.index]); return;
    }
  }

  void assemble_run(Statement& s, bool is_running) {
    const ThunkCode& code = *thunks_[s.node];
    Step step;
    step.node = s.node;
    step.operands.registers = program_.registers.data() + s.first_operand;
    step.operands.n_inputs = s.n_inputs;
    step.operands.n_outputs = s.n_outputs;
    if (code.eager != nullptr) {
      step.run = code.eager;
      step.operands.state = keep_state(code);
    } else {
      step.run = &run_bound;
      step.operands.bound = bind(code);
    }
    step.retire_first = s.first_dying;
    step.retire_count = s.n_dying;
    if (!traced_) step.operands.dying = dying_inputs(step.operands, schedule_.dying_in(s));
    s.index = static_cast<std::uint32_t>(program_.steps.size());
    program_.steps.push_back(step);
    if (is_running && !s.begins_segment) {
      s.pc = pc() - 1;
      ++program_.code.back().b;
      s.counter = program_.code.back().c;
    } else {
      s.counter = program_.n_counters++;
      emit(Opcode::Run, s.index, 1, s.counter);
    }
    count(s.node, s.counter);
  }

  const void* keep_state(const ThunkCode& code) {
    if (code.state != nullptr) program_.states.push_back(code.state);
    return code.state.get();
  }
  std::uint32_t bind(const ThunkCode& code) {
    program_.bound.push_back(code);
    return static_cast<std::uint32_t>(program_.bound.size() - 1);
  }

  /// Lazy thunks are numbered in the order in which they are first named.
  void add_lazies(std::uint32_t last) {
    while (program_.lazies.size() <= last) {
      const ScheduledLazy& scheduled = schedule_.lazies[program_.lazies.size()];
      const ThunkCode& code = *thunks_[scheduled.node];
      Lazy lazy;
      lazy.operands.registers = program_.registers.data() + scheduled.operands;
      lazy.operands.n_inputs = scheduled.n_inputs;
      lazy.operands.n_outputs = scheduled.n_outputs;
      lazy.operands.bound = bind(code);
      lazy.operands.state = keep_state(code);
      lazy.node = scheduled.node;
      lazy.counter = program_.n_counters;
      program_.n_counters += 2;
      count(lazy.node, lazy.counter);
      program_.lazies.push_back(std::move(lazy));
    }
  }

  void assemble_move(Statement& s) {
    // Every move counts; those that are no node's run share one counter, so that the loop need not
    // ask.
    s.counter = uncounted_;
    if (s.node != kNone) {
      s.counter = program_.n_counters++;
      count(s.node, s.counter);
    } else if (s.counter == kNone) {
      s.counter = uncounted_ = program_.n_counters++;
    }
    emit(Opcode::Move, s.to, s.from, s.counter, s.takes ? kTake : 0);
  }

  void assemble_branch(Statement& s) {
    const ScheduledBranch& scheduled = schedule_.branches[s.index];
    Branch branch;
    branch.selector = scheduled.selector;
    branch.decoding = scheduled.decoding;
    branch.n_arms = scheduled.n_arms;
    branch.first_target = static_cast<std::uint32_t>(program_.targets.size());
    branch.first_counter = s.counter = program_.n_counters;
    branch.node = s.node;
    branch.loop = schedule_.loop_of_block(schedule_.arm(scheduled, 0).parent);
    program_.targets.resize(program_.targets.size() + branch.n_arms, kNone);
    program_.n_counters += branch.n_arms;
    if (scheduled.loop == kNone)
      for (const ProgramNode node : schedule_.decided_by(scheduled))
        for (std::uint32_t arm = 0; arm < branch.n_arms; ++arm)
          count(node, branch.first_counter + arm);
    program_.branches.push_back(branch);
    emit(Opcode::Branch, s.index, 0, 0, s.takes ? kTake : 0);
    program_.targets[branch.first_target] = pc();
  }

  void assemble_end(const Block& block) {
    if (block.kind == Block::Kind::Root) return emit(Opcode::Halt);
    if (block.kind != Block::Kind::Arm) return emit(Opcode::Return);
    const ScheduledBranch& branch = schedule_.branches[block.owner];
    if (!schedule_.is_last_arm(block)) {
      emit(Opcode::Jump, kNone);
      program_.targets[program_.branches[block.owner].first_target + block.number + 1] = pc();
      return;
    }
    for (std::uint32_t arm = 0; arm + 1 < branch.n_arms; ++arm)
      program_.code[schedule_.statements[schedule_.arm(branch, arm).end - 1].pc].a = pc();
  }

  Schedule& schedule_;
  const std::span<const ThunkCode* const> thunks_;
  const bool traced_;
  Program program_;
  std::uint32_t uncounted_ = kNone;  // the counter of moves that are no node's run
};

}  // namespace

Program assemble(Schedule& schedule, std::span<const ThunkCode* const> thunks, bool traced) {
  return Assembler(schedule, thunks, traced).run();
}

}  // namespace thunkvm
