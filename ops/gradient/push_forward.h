// push_forward.h: forward-mode differentiation, exactly as lazy as the values are.
//
// A tangent says how a value changes where the variables of `wrt` change. The tangent of a
// conditional is a conditional on the same condition: it lives in the arm of its value, so that an
// arm that is not taken has none that runs. A value that has a tangent in some arms alone is
// multiplied by nothing in the others, not by a zero: what is computed of it is computed under the
// condition that it is there (`Partial` in region_sums.h). What does not change has no tangent.
#pragma once

#include "ops/control/loop.h"
#include "ops/graph/variable.h"

#include <span>
#include <unordered_set>
#include <vector>

namespace thunkvm {

using VariableSet = std::unordered_set<Variable, VariableHash>;

/// The tangents of `outputs` where `wrt` changes along `tangents`, of its shapes and dtypes: of the
/// shape and dtype of each, zeros where an output depends on `wrt` in steps alone (through floor, a
/// comparison, a condition), null where it does not depend on it.
///
/// A tangent does not change itself, whatever it depends on. Where one of `wrt` is computed from
/// another, its tangent is added to what comes from there. The graph is no larger than that of the
/// outputs, by a constant factor. Where a part of an array does not change, a tangent has zeros
/// there, of which an infinite slope makes no NaN (cut_gradient.h). Throws Error(NotImplemented)
/// where an Op on the way has no rule and no gradient, or the gradient has none.
std::vector<Variable> push_forward(std::span<const Variable> outputs, std::span<const Variable> wrt,
                                   std::span<const Variable> tangents);

/// The same of one node, by its gradient twice, for the outputs that are `wanted`. The gradient is
/// linear in what comes in; so its own gradient with respect to that, from tangents that come in,
/// is the tangent. An Op whose gradient is not linear is asked at zeros.
std::vector<Variable> pull_back_twice(Apply& node, std::span<const Variable> tangents,
                                      const std::vector<bool>& wanted);

/// The tangents of the outputs of a closed loop that are `wanted`, by a loop that computes values
/// and tangents side by side in each step, and keeps nothing of the steps but the tangents that are
/// asked for step by step.
std::vector<Variable> loop_tangents(Apply& node, const LoopOp& op,
                                    std::span<const Variable> tangents,
                                    const std::vector<bool>& wanted);

/// The values from which tangents reach `outputs`, these included: not through selectors, whole
/// numbers, or inputs that do not count for gradients.
VariableSet ways_to(std::span<const Variable> outputs);

}  // namespace thunkvm
