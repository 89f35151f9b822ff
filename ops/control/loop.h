// loop.h: loops, as users build them and as linkers see them.
//
// A *closed* loop is one node: its body is a graph of its own, over leaves of its own, so that all
// that walks graphs (substitution, gradients) meets an ordinary eager Op. `open_loops` puts the
// bodies into the graph that they stand in, before anything is placed: what a step computes are
// then nodes like all others, of which the linker knows by their states in which loop they run.
#pragma once

#include "ops/graph/graph.h"
#include "ops/graph/op.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace thunkvm {

/// What one step of a loop does, over leaves that stand for its states and its captures.
///
/// A step runs where `limit` is true, if there is one, and then `test`. Then it demands the next
/// value of each state that somebody may read, then or behind the loop (the carry is strict), and
/// everything else by need.
struct LoopBody : InnerGraph {
  std::string name;                 ///< "while_loop", "scan"
  std::vector<Variable> states;     ///< leaves: the values at the head of a step
  std::vector<Variable> captures;   ///< leaves: what does not change from step to step
  Variable limit;                   ///< one bool, or null; where it is false `test` is not computed
  Variable test;                    ///< one number, as a condition
  std::vector<Variable> nexts;      ///< of each state, of its type
  std::vector<Variable> collected;  ///< tensors, of which every step's are kept
  std::uint32_t keeps = 0;          ///< for who made it: what its histories are of what it collects
  /// Its first state is a fixed point of a step when it ends, whatever the others are, which that
  /// does not read: the gradient is that of the equation.
  bool implicit = false;

  /// So many of what it collects, the last ones, are there for gradients alone.
  std::uint32_t n_for_gradients = 0;

  /// The states, then the captures: what stands for the inputs of the loop's node.
  std::vector<Variable> leaves() const;
  /// What a step computes: the limit, if there is one, the test, the next values, what it collects.
  std::vector<Variable> values() const;
  void set_values(std::span<const Variable> values);

  std::vector<Variable> inputs() const override { return leaves(); }
  std::vector<Variable> outputs() const override { return values(); }
};

/// The outputs of a closed loop: first the last values of the states, then those of the others.
/// Which of them are asked for decides what the loop computes and keeps.
struct LoopOutputs {
  std::uint32_t n_states = 0, n_collected = 0;
  std::uint32_t last(std::uint32_t state) const { return state; }
  /// A state's values at the heads of the steps that ran, one behind the other.
  std::uint32_t history(std::uint32_t state) const { return n_states + state; }
  std::uint32_t collected(std::uint32_t i) const { return 2 * n_states + i; }
  /// How many steps ran: 0-d int64.
  std::uint32_t steps() const { return 2 * n_states + n_collected; }
  /// Whether it ended by its test, and not by its limit alone.
  std::uint32_t finished() const { return steps() + 1; }
  std::uint32_t size() const { return finished() + 1; }
};

/// The closed loop's Op, "loop" of the registry. Its inputs are the first values of the states,
/// then the captures.
class LoopOp final : public Op {
 public:
  /// Throws Error(Value) for a graph that is no body by the other attributes, Error(Type) where a
  /// next value is not of its state's type.
  explicit LoopOp(const Attributes& attributes);
  std::string name() const override { return body_->name; }
  std::vector<Variable> call(std::span<const Variable> inputs) const override;
  const LoopBody& body() const { return *body_; }
  LoopOutputs outputs() const {
    return {static_cast<std::uint32_t>(body_->states.size()),
            static_cast<std::uint32_t>(body_->collected.size())};
  }

 private:
  const LoopBody* body_;  ///< the attribute
};

/// The loop of a body.
Ref<const Op> loop_op(const LoopBody& body);

/// The closed loop that a node is; null for all others.
const LoopOp* closed_loop(const Apply& node);

/// A closed loop, by a body that stands in the graph outside: what it uses of that and does not
/// change in a step becomes a capture. `body.captures` is empty. Returns the node's outputs.
std::vector<Variable> make_loop(LoopBody& body, std::span<const Variable> firsts);

/// Adds to what a body collects what its gradient reads instead of whole states, each if somebody
/// asks for it: the lengths of the states, and what conditionals are decided by.
void collect_for_gradients(LoopBody& body);
/// The selectors, 0-d integers or bools, of the conditionals that are decided whenever these values
/// are computed.
std::vector<Variable> certain_selectors(std::span<const Variable> values);

/// A loop in the graph that its body is part of. Its inputs are the leaves of its states, what it
/// tests, the next value of each state, the values that it leaves, and what the first states hold
/// when it begins (leaves, which nobody has to compute).
///
/// In each step the test is decided. If it is true, the next values are demanded, and become the
/// states' all at once; if it is false, the values that it leaves are, and the loop ends.
class OpenLoopOp final : public Op {
 public:
  OpenLoopOp(std::string name, std::uint32_t n_states, std::uint32_t n_left, std::uint32_t n_given)
      : name_(std::move(name)), n_states_(n_states), n_left_(n_left), n_given_(n_given) {}
  std::string name() const override { return name_; }
  std::vector<Variable> call(std::span<const Variable> inputs) const override;

  std::uint32_t n_states() const { return n_states_; }
  std::uint32_t n_left() const { return n_left_; }
  /// So many states, the first ones, have a value when the loop begins; the others are not read
  /// before they were written.
  std::uint32_t n_given() const { return n_given_; }
  std::uint32_t state(std::uint32_t i) const { return i; }
  std::uint32_t test() const { return n_states_; }
  std::uint32_t next(std::uint32_t i) const { return n_states_ + 1 + i; }
  std::uint32_t left(std::uint32_t j) const { return 2 * n_states_ + 1 + j; }
  std::uint32_t given(std::uint32_t i) const { return 2 * n_states_ + 1 + n_left_ + i; }

 private:
  std::string name_;
  std::uint32_t n_states_, n_left_, n_given_;
};

/// The open loop that a node is; null for all others.
const OpenLoopOp* open_loop(const Apply& node);

/// The graph with its loops open, those in bodies too. What nobody may demand of a loop is not in
/// it: states that neither the test nor an output that is used depends on, from step to step,
/// histories that nobody reads, and outputs of conditionals that read those alone. An update that
/// is made if its value is computed demands nothing: the last value of a state is there for it if
/// somebody asks for that too, or if steps compute the state and its first value is a leaf.
FunctionGraph open_loops(const FunctionGraph& graph);

}  // namespace thunkvm
