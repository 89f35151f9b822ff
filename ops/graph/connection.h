// connection.h: the values that a value depends on, differentiably or not.
#pragma once

#include "ops/graph/variable.h"

#include <map>
#include <span>
#include <unordered_set>
#include <utility>

namespace thunkvm {

/// The second base of an Op with inputs that do not count for gradients. Inputs of any other Op
/// count for its outputs, if only in steps: their gradient is zero, and not missing, if nothing
/// came back.
class PartlyConnected {
 public:
  /// False for inputs of which only the lengths are read, and for inputs that gradients take for
  /// constants.
  virtual bool connects(int input) const = 0;

 protected:
  ~PartlyConnected() = default;
};

/// By input of a node (node, input) whose Op was asked: true if a gradient came back.
using GradientAnswers = std::map<std::pair<const Apply*, std::uint32_t>, bool>;

/// The values that `outputs` depend on: through conditions and whole numbers too, but not through
/// nodes that read lengths alone, stop_gradient, or inputs for which the answer was no. If no
/// gradient reaches one of these, its gradient is zero; any other variable has none.
class Connection {
 public:
  Connection(std::span<const Variable> outputs, const GradientAnswers& answers);
  bool to(const Variable& v) const { return reached_.contains(v); }

 private:
  std::unordered_set<Variable, VariableHash> reached_;
};

}  // namespace thunkvm
