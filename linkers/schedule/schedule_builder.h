// schedule_builder.h: schedules, statement by statement.
#pragma once

#include "linkers/schedule/placement.h"
#include "linkers/schedule/schedule.h"

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace thunkvm {

/// Writes the Schedule of a FlatGraph. The caller decides the order of statements; the builder
/// knows registers, lists and the nesting of blocks. Here nodes are the graph's.
///
/// Every value gets a register when it is first named; two values may be given one (`share`).
class ScheduleBuilder {
 public:
  ScheduleBuilder(const FlatGraph& graph, bool retain_intermediates);

  /// `v` lives in the register of `other`, which has one already or gets it now.
  void share(Value v, Value other) { register_of_[v] = reg(other); }

  /// Blocks follow each other, but for arms, which lie in the open block. Each is to be ended. A
  /// memo body or an input is within block `parent`; kNone: not known.
  void begin_root();
  void begin_memo(std::uint32_t memo, std::uint32_t parent);
  void begin_input(std::uint32_t node, std::uint32_t input, std::uint32_t parent);
  void begin_loop(std::uint32_t node, std::uint32_t parent);
  void begin_arm(std::uint32_t branch, std::uint32_t arm);
  void end();
  /// The block that was begun last and not ended.
  std::uint32_t open_block() const { return open_.back(); }

  /// Gives the open block its region of the placement.
  void name_region(Region region) { s_.blocks[open_.back()].region = region; }

  /// The eager node.
  void run(std::uint32_t node);
  void need(std::uint32_t memo);
  void demand(std::uint32_t node, std::uint32_t output);
  /// `node`: the node that it counts a run of; kNone: none.
  void move(Value to, Value from, std::uint32_t node);
  void retire(std::span<const Value> values);
  /// Decides the conditionals of which these are outputs, those of one side by side.
  std::uint32_t branch(Value selector, Decoding decoding, std::uint32_t n_arms,
                       std::span<const Value> results);

  /// The loop's statement, behind the moves of the first values of its states.
  void loop(std::uint32_t node);
  /// The branch that ends a step. Arm 0 leaves the loop.
  std::uint32_t loop_branch(std::uint32_t node);
  /// In these arms: the moves of the values that the loop leaves, all of which are there; the moves
  /// of the next values to the states, all at once; the next step.
  void leave(std::uint32_t node);
  void move_on(std::uint32_t node);
  void again(std::uint32_t node);

  std::uint32_t new_memo(std::uint32_t node);
  std::uint32_t n_lazies() const { return static_cast<std::uint32_t>(lazy_nodes_.size()); }
  /// The lazy thunk of an opaque node, made when it is first named.
  std::uint32_t lazy_node(std::uint32_t lazy) const { return lazy_nodes_[lazy]; }

  /// The finished schedule, with inputs, shared variables, outputs and updates in the graph's
  /// order.
  Schedule finish(const FunctionGraph& function);

 private:
  std::uint32_t reg(Value v);
  std::uint32_t add_operands(std::uint32_t node);
  std::uint32_t lazy_index(std::uint32_t node);
  std::uint32_t loop_index(std::uint32_t node);
  std::uint32_t loop_around(std::uint32_t node);
  Statement& move_register(std::uint32_t to, std::uint32_t from);
  void move_at_once(std::vector<std::pair<std::uint32_t, std::uint32_t>> moves);
  std::uint32_t open_branch(Value selector, Decoding decoding, std::uint32_t n_arms,
                            ProgramNode node);
  Statement& add(Statement::Kind kind, ProgramNode node = kNone);
  void begin(std::uint32_t block);
  Variable variable(Value v) const {
    const std::uint32_t node = graph_.node_of[v];
    return graph_.nodes[node]->output(v - graph_.first_value[node]);
  }
  void name_registers(const FunctionGraph& function);

  const FlatGraph& graph_;
  Schedule s_;
  std::vector<std::uint32_t> register_of_;  // by value
  std::vector<std::uint32_t> lazy_of_;      // by node
  std::vector<std::uint32_t> loop_of_;      // by node
  std::vector<std::uint32_t> lazy_nodes_;
  std::vector<ProgramNode> program_node_;  // by node; leaves have none
  std::vector<std::uint32_t> open_;        // blocks
  std::vector<Value> results_;             // the values with registers in Schedule::results
  struct Waiting {
    std::uint32_t place, state;  // registers
  };
  std::vector<Waiting> waiting_;  // values of states between two moves
  std::uint32_t n_registers_ = 0;
};

}  // namespace thunkvm
