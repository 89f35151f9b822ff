// lanes.h: the examples of a batch that are computed one after the other.
//
// A conditional whose selector differs between examples, or an `attempt` of what differs, has no
// batch: each example has its own arm. Such nodes, and all that they alone demand, are a *lane*: a
// graph that is computed for one example at a time, in a step of a loop over the examples. So an
// example runs its own arm alone, and what is always demanded stays batched outside.
#pragma once

#include "ops/graph/op.h"

#include <functional>
#include <span>
#include <unordered_set>
#include <vector>

namespace thunkvm {

using VariableSet = std::unordered_set<Variable, VariableHash>;

/// The graph of one example, as an Op whose inputs are all that differs between examples and is
/// demanded outside too. It lives while a graph is batched, and no longer.
class LaneOp final : public Op {
 public:
  LaneOp(std::vector<Variable> inputs, std::vector<Variable> outputs)
      : inputs_(std::move(inputs)), outputs_(std::move(outputs)) {}
  std::string name() const override { return "lane"; }
  std::vector<Variable> call(std::span<const Variable> inputs) const override;
  /// The graph for these inputs.
  std::vector<Variable> outputs_for(std::span<const Variable> inputs) const;

 private:
  std::vector<Variable> inputs_, outputs_;
};

/// The graphs of `roots` with its lanes as nodes of LaneOp, where the variables in `batched` differ
/// between examples. Conditionals that are certainly demanded and share what they demand are one
/// lane, so that no example computes that twice.
std::vector<Variable> with_lanes(std::span<const Variable> roots, const VariableSet& batched);

/// The tensors that `values` makes for each example, stacked; `length` is the number of examples.
std::vector<Variable> for_each_example(
    const Variable& length,
    const std::function<std::vector<Variable>(const Variable& example)>& values);
/// The inputs of one example: the rows of those that are batched.
std::vector<Variable> rows_of(std::span<const Variable> inputs, const std::vector<bool>& batched,
                              const Variable& example);

}  // namespace thunkvm
