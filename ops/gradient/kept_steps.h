// kept_steps.h: what the gradient of a loop reads of the steps that ran.
#pragma once

#include "ops/control/loop.h"
#include "ops/graph/op.h"

#include <span>
#include <utility>
#include <vector>

namespace thunkvm {

/// Values of a step, over leaves of the body.
struct StepValues {
  std::vector<Variable> pulled_back;    ///< that have a gradient
  std::vector<Variable> nexts;          ///< of each state
  std::vector<Variable> for_gradients;  ///< what the body collects for them
};

/// The steps of a closed loop, read one after the other from the last to the first.
class KeptSteps {
 public:
  /// `at`: the number of the step.
  KeptSteps(Apply& node, const LoopOp& op, const Variable& at);

  /// The values of a step in the graph outside. They read what the loop kept that holds the least:
  /// of a state of which they ask the lengths alone those, and what a conditional was decided by
  /// instead of what that was computed from. What a state became in the step is not computed again
  /// where its values are kept: it is what the step behind began with.
  ///
  /// `more`: other leaves in them, and what these stand for. Throws Error(NotImplemented) where a
  /// state is read that is no tensor.
  std::vector<Variable> read(std::vector<Variable> values, const StepValues& step,
                             std::vector<std::pair<Variable, Variable>> more);

  /// A state of the loop that reads them.
  struct Carried {
    Variable leaf, first, next;
  };
  std::span<const Carried> carried() const { return carried_; }

  /// `settled_lengths` of the loop, found when somebody first asks.
  const std::vector<Extents>& settled();

 private:
  using Pairs = std::vector<std::pair<Variable, Variable>>;

  Variable first(std::size_t state) const;
  Variable collected_next(std::size_t state) const;
  Variable head(std::size_t state) const;
  Variable for_gradient(std::size_t i) const;
  std::vector<bool> states_read_by(std::span<const Variable> values) const;
  std::vector<Variable> with_lengths_alone(std::span<const Variable> values);
  std::vector<Variable> with_decisions(std::span<const Variable> values, const StepValues& step);
  std::vector<Variable> with_carried(std::span<const Variable> values, const StepValues& step);
  void check_tensors(const std::vector<bool>& is_read, std::span<const Variable> values) const;
  void tell_lengths(const std::vector<bool>& is_read);
  Variable kept_length(std::size_t state, std::size_t axis) const;

  Apply& node_;
  const LoopBody& body_;
  const LoopOutputs place_;
  const Variable at_;
  std::vector<Extents> lengths_;  // by leaf of the body: what stands for them until it is told
  Pairs later_;                   // what stands for values outside, and these
  std::vector<Carried> carried_;
  std::vector<Extents> settled_;  // by leaf of the body, once somebody asked
};

}  // namespace thunkvm
