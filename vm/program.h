// program.h: an immutable program. The linkers make it, and the machine runs it.
#pragma once

#include "thunks/cell.h"
#include "thunks/decoding.h"
#include "thunks/thunk.h"
#include "vm/indices.h"
#include "vm/opcodes.h"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace thunkvm {

/// One eager thunk: its code, its registers, and the registers to empty after it.
struct Step {
  EagerFn run = nullptr;
  Operands operands;
  std::uint32_t retire_first = 0;  ///< in Program::retires
  std::uint32_t retire_count = 0;
  ProgramNode node{};
};

/// A branch on a selector's value.
struct Branch {
  std::uint32_t selector = 0;  ///< register
  Decoding decoding = Decoding::Truth;
  std::uint32_t n_arms = 2;
  std::uint32_t first_target = 0;   ///< in Program::targets: a pc for each arm
  std::uint32_t first_counter = 0;  ///< a counter for each arm
  ProgramNode node{};               ///< the (first) conditional that it decides, for errors
  std::uint32_t loop = kNone;       ///< the innermost loop in each step of which it decides anew

  /// How often each arm was taken, by the counts of all of the program's counters.
  std::span<const std::uint64_t> arm_counts(std::span<const std::uint64_t> counters) const {
    return counters.subspan(first_counter, n_arms);
  }
};

/// Code that is entered from elsewhere and ends in Return. It is entered at most once a call, or
/// once in each step of its loop.
struct Body {
  enum class Kind : std::uint8_t {
    Memo,   ///< at the first Need
    Input,  ///< of a lazy thunk: when that requests it
    Loop,   ///< a step: it ends in Again, but for the last one
  };
  Kind kind = Kind::Memo;
  Pc pc{};
  ProgramNode node{};           ///< the node of a memo body's value
  std::uint32_t owner = kNone;  ///< of an input: the lazy thunk
  std::uint32_t number = 0;     ///< of an input: which one; of a step: the loop
  std::uint32_t loop = kNone;   ///< the innermost loop in each step of which it may run anew
};

/// A lazy thunk, which decides at run time which inputs it demands.
struct Lazy {
  Operands operands;             ///< `bound` is its thunk
  std::uint32_t first_body = 0;  ///< of its inputs, which follow each other
  std::uint32_t counter = 0;     ///< entries; the number of outputs computed is the next counter
  ProgramNode node{};
  std::uint32_t loop = kNone;  ///< as of a body
};

/// A loop: the same code again and again, on the same registers.
struct ProgramLoop {
  ProgramNode node{};
  std::uint32_t body = 0;
  std::uint32_t branch = 0;             ///< in each step: arm 0 leaves the loop
  std::uint32_t counter = 0;            ///< of steps that were followed by another one
  std::vector<std::uint32_t> states;    ///< registers in which one step leaves values to the next
  std::vector<std::uint32_t> left{};    ///< registers that the last step writes
  std::vector<std::uint32_t> bodies{};  ///< bodies that have not run when a step begins
  std::vector<std::uint32_t> lazies{};  ///< lazy thunks that have not been entered then
};

/// A counter of a node's runs. A node may have several: its runs are their sum.
struct NodeCounter {
  ProgramNode node{};
  std::uint32_t counter = 0;
};

/// Names of nodes and registers, for people. Called only when somebody asks.
class ProgramText {
 public:
  virtual ~ProgramText() = default;
  virtual std::string node(ProgramNode node) const = 0;              ///< "add.3"
  virtual std::string register_name(std::uint32_t index) const = 0;  ///< "x", "t7"
};

class BodyContents;

/// A program. Immutable once made, shared by all calls on all threads.
///
/// Every register is written before it is read on every path. At Halt all are empty but constants,
/// inputs, shared variables' values and outputs. At the end of a step those that were written
/// outside of it and the states of its loop may hold values too. `verify` checks as much of this as
/// code alone shows.
struct Program {
  IndexedVector<Pc, Instruction> code;  ///< entry at pc 0
  IndexedVector<StepIndex, Step> steps;
  std::vector<std::uint32_t> registers;  ///< the operand lists that Operands point into
  std::vector<Pc> targets;
  std::vector<std::uint32_t> retires;
  std::vector<Branch> branches;
  std::vector<Body> bodies;  ///< the memo bodies, the inputs of each lazy thunk, the loops' steps
  std::vector<Lazy> lazies;
  std::vector<ProgramLoop> loops;
  std::vector<ThunkCode> bound;  ///< makers of BoundThunks; index = Operands::bound
  std::vector<std::shared_ptr<const void>> states;  ///< keeps Operands::state alive

  std::uint32_t n_registers = 0;
  std::vector<std::pair<std::uint32_t, Cell>>
      constants;                      ///< preloaded in every frame, never retired
  std::vector<std::uint32_t> inputs;  ///< filled by the caller; emptied when the call ends
  /// Those of the inputs, by position, that may be retired or taken: the program may write to what
  /// they hold.
  std::vector<std::uint32_t> mutable_inputs;
  std::vector<std::uint32_t> shared;  ///< likewise, with the values of shared variables
  std::vector<std::uint32_t>
      outputs;  ///< the caller moves them out; a register may be listed twice
  std::vector<std::uint32_t>
      updates;  ///< likewise, to be committed; an if-computed one that did not run is empty

  std::uint32_t n_counters = 0;
  std::vector<NodeCounter> node_counters;  ///< sorted by node
  std::uint32_t n_nodes = 0;
  bool retain_intermediates = false;  ///< `_nogc`: registers keep their values between calls
  std::shared_ptr<const ProgramText> text;
  std::shared_ptr<const BodyContents> contents;  ///< null: no lazy thunk goes on after a failure
};

}  // namespace thunkvm
