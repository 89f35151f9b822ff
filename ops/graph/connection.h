// connection.h: the values that a value depends on, differentiably or not.
#pragma once

#include "ops/graph/variable.h"

#include <map>
#include <span>
#include <unordered_set>
#include <utility>

namespace thunkvm {

/// The second base of an Op for which not all that its inputs hold counts for gradients. Inputs of
/// any other Op count for its outputs, if only in steps: a gradient to which nothing came there is
/// zero, and not missing.
class PartlyConnected {
 public:
  /// False for inputs of which only the lengths are read, and for those that gradients are to take
  /// for constants.
  virtual bool connects(int input) const = 0;

 protected:
  ~PartlyConnected() = default;
};

/// For inputs of nodes (node, input) whose Ops were asked: whether any gradient came back.
using GradientAnswers = std::map<std::pair<const Apply*, std::uint32_t>, bool>;

/// The values that `outputs` depend on: through conditions and whole numbers too, but not through
/// what reads lengths alone, stop_gradient, or inputs for which the answer was no. Where a gradient
/// has nothing to say about one of these, it is zero; any other variable has none.
class Connection {
 public:
  Connection(std::span<const Variable> outputs, const GradientAnswers& answers);
  bool to(const Variable& v) const { return reached_.contains(v); }

 private:
  std::unordered_set<Variable, VariableHash> reached_;
};

}  // namespace thunkvm
