// step_shapes.h: the lengths of the values of a loop's step, by the rules of their nodes.
#pragma once

#include "ops/control/loop.h"
#include "ops/graph/op.h"

#include <span>
#include <unordered_map>
#include <vector>

namespace thunkvm {

/// The lengths of values over leaves of which they are given: no element is computed for them
/// where Op::infer_shape says them.
class StepShapes {
 public:
  StepShapes(std::span<const Variable> leaves, std::span<const Extents> shapes);
  const Extents& of(const Variable& value);

 private:
  Variable looked_up(const Variable& length) const;
  std::vector<Extents> inferred(Apply& node);

  std::unordered_map<Variable, Extents, VariableHash> shapes_;
};

/// The lengths that states (and captures) have at the head of every step, in the graph outside:
/// those of the first value, where by the rules each step leaves them what they are. Null where
/// that is not known.
///
/// `inputs`: of the loop's node.
std::vector<Extents> settled_lengths(const LoopBody& body, std::span<const Variable> inputs);

}  // namespace thunkvm
