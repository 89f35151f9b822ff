// schedule.h: a placed graph as a tree of blocks of statements, with their registers and lifetimes.
//
// `lower` makes it from a placement, `lower_by_need` without one (lowering.h). `let_go` writes the
// lifetimes of registers into the former (lifetimes.h). If C will be emitted, passes rewrite it
// (linkers/passes), and so may the host (LinkOptions::scheduled). From then on it is read: the
// assembler makes the Program from it and notes its pcs in it, emission makes C from it, `explain`
// and profiles name regions by it.
//
// The tree lies flat: the statements of a block are a range, in the order of the code, with the
// arms of its branches inside it. An End closes each block.
//
//     block 0, root:            Run   lt.0: %2 = %0, %1
//                               Branch %2
//       block 1, arm 0 of it:     Run   mul.1: %3 = %0, %0
//                                 End
//       block 2, arm 1 of it:     Need  memo 0
//                                 Move  %3 = %4
//                                 End
//                               End
//     block 3, memo 0:          Run   exp.2: %4 = %1
//                               End
#pragma once

#include "linkers/schedule/statement_index.h"
#include "ops/graph/regions.h"
#include "ops/graph/variable.h"
#include "thunks/decoding.h"
#include "thunks/words.h"
#include "vm/opcodes.h"
#include "vm/program.h"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace thunkvm {

/// 36 bytes. Nodes are the program's; registers, memo bodies and lazy thunks too.
struct Statement {
  enum class Kind : std::uint8_t {
    Run,      ///< an eager thunk
    Branch,   ///< decides a selector and runs one of the arms, which follow it
    Move,     ///< copies a conditional's value: at an arm's end, or in an arm that decides it
    Need,     ///< runs a memo body, unless it has run
    Demand,   ///< computes an output of a lazy thunk, unless it is there
    Retire,   ///< empties registers, and does nothing else
    Release,  ///< ends a lazy thunk: nobody demands it any more
    Loop,     ///< runs the steps of a loop
    Again,    ///< ends a step: the next one begins
    End,      ///< of a block
  };
  Kind kind = Kind::End;
  /// The register that it reads dies in it: a Branch's selector, a Move's source. A Run and a
  /// Retire have a list of dying registers.
  bool takes : 1 = false;
  /// A Run has an instruction of its own, and does not share that of the Run before it.
  bool begins_segment : 1 = false;
  std::uint16_t n_inputs = 0, n_outputs = 0;  ///< of a Run
  std::uint16_t output = 0;                   ///< of a Demand
  ProgramNode node;  ///< that it runs; a Branch's first one. Moves out of arms: none
  /// The index of a Run's step, a branch, a memo body, a lazy thunk or a loop; an End has that of
  /// its block.
  std::uint32_t index = 0;
  union {
    std::uint32_t first_operand = 0;  ///< of a Run: in Schedule::operands, inputs first
    std::uint32_t to;                 ///< of a Move: the register
  };
  union {
    std::uint32_t first_dying = 0;  ///< of a Run or a Retire: in Schedule::dying
    std::uint32_t from;             ///< of a Move: the register
  };
  std::uint32_t n_dying = 0;
  /// Its instruction in the program; several Runs may share one. The last arm's End has none: its
  /// pc is that of the next statement.
  Pc pc;
  /// The program's counter of a Run or a Move; of a Branch that of its first arm, which those of
  /// the others follow.
  std::uint32_t counter = kNone;

  /// The step of a Run in an assembled schedule.
  StepIndex step() const { return StepIndex(index); }
};
static_assert(sizeof(Statement) == 36);

/// The rules of a kind of statement, for code that need not know the kind.
struct StatementRule {
  Opcode instruction;      ///< its operands say which registers it touches, the first one its body
  bool enters = false;     ///< it runs a body, unless that has run
  bool runs_node = false;  ///< it is a run of its node, if it has one
  bool is_border = false;  ///< no pass moves a statement past it
};

constexpr StatementRule rule_of(Statement::Kind kind) {
  switch (kind) {
    case Statement::Kind::Run: return {.instruction = Opcode::Run, .runs_node = true};
    case Statement::Kind::Branch: return {.instruction = Opcode::Branch, .is_border = true};
    case Statement::Kind::Move: return {.instruction = Opcode::Move, .runs_node = true};
    case Statement::Kind::Need: return {.instruction = Opcode::Need, .enters = true};
    case Statement::Kind::Demand:
      return {.instruction = Opcode::Lazy, .enters = true, .runs_node = true};
    case Statement::Kind::Retire: return {.instruction = Opcode::Retire};
    case Statement::Kind::Release: return {.instruction = Opcode::Release};
    case Statement::Kind::Loop:
      return {.instruction = Opcode::Loop, .enters = true, .runs_node = true, .is_border = true};
    case Statement::Kind::Again: return {.instruction = Opcode::Again, .is_border = true};
    case Statement::Kind::End: break;
  }
  return {.instruction = Opcode::Return, .is_border = true};  // it touches nothing, as a Jump
}

/// The kind of the first operand: a memo body, a lazy thunk or a loop, which `index` is of.
inline OperandKind subject_of(const Statement& s) {
  const std::span<const Operand> found = operands(rule_of(s.kind).instruction);
  return found.empty() ? OperandKind::Number : found.front().kind;
}

struct Block {
  enum class Kind : std::uint8_t {
    Root,
    Arm,      ///< of a Branch
    Memo,     ///< runs at the first Need of a call
    Input,    ///< of a lazy thunk: runs when that requests it
    Guarded,  ///< an input of an attempt: a failure in it is a value
    Loop,     ///< a step: ends in a branch; arm 0 leaves the loop
  };
  Kind kind = Kind::Root;
  StatementIndex begin{0}, end{0};  ///< with the End
  /// The block that this one runs within. An arm's is the one around its branch. That of a memo
  /// body or an input is around all statements that may run it. kNone: the root, or not placed
  /// (lower_by_need): body_contents.h finds the parent of such a body when it is asked.
  std::uint32_t parent = kNone;
  /// The region of the placement. Arms of branches that decide the same share one. kNone: not
  /// placed.
  Region region{};
  std::uint32_t owner = 0;   ///< the branch, memo body, lazy thunk or loop
  std::uint32_t number = 0;  ///< which arm, which input
};

template <>
struct Words<Block::Kind> {
  static constexpr const char* name = "BlockKind";
  static constexpr std::array words{"root", "arm", "memo", "input", "guarded", "step"};
};

/// One decision. It is that of all conditionals that are joined in it, or of a loop: arm 0 makes
/// the step the last one.
struct ScheduledBranch {
  std::uint32_t selector = 0;  ///< register
  Decoding decoding = Decoding::Truth;
  std::uint32_t first_arm = 0, n_arms = 2;                  ///< blocks
  std::uint32_t first_conditional = 0, n_conditionals = 0;  ///< in Schedule::conditionals
  std::uint32_t first_result = 0, n_results = 0;            ///< in Schedule::results
  std::uint32_t loop = kNone;                               ///< the loop that it ends or continues
};

/// A value of a conditional. Every arm of its branch moves it to the register.
struct ScheduledResult {
  ProgramNode node;
  std::uint32_t reg = kNone;
};

struct ScheduledMemo {
  std::uint32_t block = kNone;
  ProgramNode node;
  std::uint32_t loop = kNone;  ///< the innermost loop in each step of which it may run anew
};

struct ScheduledLazy {
  ProgramNode node;
  std::uint32_t first_block = kNone;  ///< of its inputs, which follow each other
  std::uint32_t operands = 0;         ///< in Schedule::operands, inputs first
  std::uint16_t n_inputs = 0, n_outputs = 0;
  std::uint32_t loop = kNone;  ///< as of a memo body
};

/// A loop. Moves write its states in front of its statement and before each Again. Moves in the arm
/// that leaves the loop write the registers that it leaves.
struct ScheduledLoop {
  ProgramNode node;
  std::uint32_t block = kNone;
  std::uint32_t branch = kNone;
  std::uint32_t loop = kNone;               ///< around it
  std::vector<std::uint32_t> states, left;  ///< registers
};

/// Immutable once assembled, and kept with the program. Any thread may read it, but only the host's
/// may copy its Variables.
struct Schedule {
  IndexedVector<StatementIndex, Statement> statements;
  std::vector<Block> blocks;  ///< the root first, a block before those within it
  std::vector<ScheduledBranch> branches;
  std::vector<ScheduledMemo> memos;
  std::vector<ScheduledLazy> lazies;
  std::vector<ScheduledLoop> loops;
  std::vector<std::uint32_t> operands, dying;  ///< registers
  std::vector<ProgramNode> conditionals;
  std::vector<ScheduledResult> results;
  /// By register: one of the values that live there; null: an input that nothing reads.
  std::vector<Variable> registers;
  std::vector<bool> mixed;  ///< by register: its values differ in dtype or in number of axes
  IndexedVector<ProgramNode, Variable>
      nodes;  ///< output 0 of each node that may run, after those it needs
  /// Registers of constants, and the lists of Program under the same names.
  std::vector<std::uint32_t> constants, inputs, shared, outputs, updates;
  bool retain_intermediates = false;  ///< as in Program

  std::span<const std::uint32_t> inputs_of(const Statement& run) const {
    return {operands.data() + run.first_operand, run.n_inputs};
  }
  std::span<const std::uint32_t> outputs_of(const Statement& run) const {
    return {operands.data() + run.first_operand + run.n_inputs, run.n_outputs};
  }
  /// The registers that a statement itself writes.
  std::span<const std::uint32_t> written_by(const Statement& s) const {
    if (s.kind == Statement::Kind::Move) return {&s.to, 1};
    return s.kind == Statement::Kind::Run ? outputs_of(s) : std::span<const std::uint32_t>();
  }
  /// The registers that are there behind a statement, and perhaps not in front of it.
  std::span<const std::uint32_t> filled_by(const Statement& s) const {
    if (s.kind == Statement::Kind::Loop) return loops[s.index].left;
    if (s.kind != Statement::Kind::Demand) return written_by(s);
    return outputs_of(lazies[s.index]).subspan(s.output, 1);
  }
  std::span<const std::uint32_t> operands_of(const ScheduledLazy& lazy) const {
    return {operands.data() + lazy.operands, std::size_t{lazy.n_inputs} + lazy.n_outputs};
  }
  std::span<const std::uint32_t> outputs_of(const ScheduledLazy& lazy) const {
    return operands_of(lazy).subspan(lazy.n_inputs);
  }
  /// The registers that a Run or a Retire lists.
  std::span<const std::uint32_t> dying_in(const Statement& s) const {
    return {dying.data() + s.first_dying, s.n_dying};
  }
  std::span<const ProgramNode> decided_by(const ScheduledBranch& branch) const {
    return {conditionals.data() + branch.first_conditional, branch.n_conditionals};
  }
  std::span<const ScheduledResult> results_of(const ScheduledBranch& branch) const {
    return {results.data() + branch.first_result, branch.n_results};
  }
  const Block& arm(const ScheduledBranch& branch, std::uint32_t arm) const {
    return blocks[branch.first_arm + arm];
  }
  const Block& body(std::uint32_t memo) const { return blocks[memos[memo].block]; }
  /// The Again of the loop, which ends each step but the last one.
  const Statement& again(const ScheduledLoop& loop) const {
    return statements[arm(branches[loop.branch], 1).end - 2];
  }
  /// The branch's own statement, and the one after its arms.
  StatementIndex at(const ScheduledBranch& branch) const { return arm(branch, 0).begin - 1; }
  StatementIndex after(const ScheduledBranch& branch) const {
    return arm(branch, branch.n_arms - 1).end;
  }
  /// True if the statement after the branch comes right behind this arm.
  bool is_last_arm(const Block& arm) const { return arm.number + 1 == branches[arm.owner].n_arms; }
  /// False of the End of a last arm: control is at the next statement already.
  bool has_instruction(const Statement& s) const {
    return s.kind != Statement::Kind::End || blocks[s.index].kind != Block::Kind::Arm ||
           !is_last_arm(blocks[s.index]);
  }
  /// The first statement with an instruction, from this one on: control is there.
  StatementIndex with_instruction(StatementIndex i) const {
    while (i < statements.size() && !has_instruction(statements[i])) ++i;
    return i;
  }
  /// The statement after this one, of a Run after those that share an instruction with it.
  StatementIndex next(StatementIndex i) const {
    StatementIndex next = i + 1;
    if (statements[i].kind == Statement::Kind::Run)
      while (statements[next].kind == Statement::Kind::Run && !statements[next].begins_segment)
        ++next;
    return next;
  }
  /// The static type of all values of a register; null if they have no type in common.
  const Type* type_of(std::uint32_t reg) const {
    return registers[reg] && !mixed[reg] ? &registers[reg].type() : nullptr;
  }

  /// By statement: the innermost block that it is in. Linear.
  IndexedVector<StatementIndex, std::uint32_t> block_of_statements() const;
  /// By node: the block of the first statement that runs it; kNone: none does. Linear.
  IndexedVector<ProgramNode, std::uint32_t> block_of_nodes() const;

  /// The loop in each step of which a block may run anew; kNone: in none.
  std::uint32_t loop_of_block(std::uint32_t block) const;

  /// For people, on threads of the host's: "add.3"; "x", "t7"; and a line a statement, indented by
  /// block.
  std::string node_name(ProgramNode node) const;
  std::string register_name(std::uint32_t reg) const;
  std::string text() const;
};

}  // namespace thunkvm
