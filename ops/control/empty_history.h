// empty_history.h: what a loop that ran no step kept of its values.
#pragma once

#include "ops/control/loop.h"

namespace thunkvm {

/// No rows, each of the lengths that `body.collected[i]` would have had in the first step: of the
/// first value where it is what a state becomes, else by the rules of the nodes (Op::infer_shape).
/// A length is 0 that only a node of the step, a user's or one without a rule, would tell: none
/// ran, and none runs for this. Null where the type knows all lengths.
///
/// `inputs`: of the loop's node.
Variable empty_history(const LoopBody& body, std::size_t i, std::span<const Variable> inputs);

}  // namespace thunkvm
