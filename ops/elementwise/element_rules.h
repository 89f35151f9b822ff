// element_rules.h: the two derivatives of an elementwise node, by the one rule of its declaration.
//
// The Jacobian is diagonal: an element of the output changes with the one element of each input
// that it was computed from. So a tangent is multiplied by what a gradient is multiplied by.
#pragma once

#include "ops/elementwise/elementwise.h"

#include <optional>
#include <span>
#include <vector>

namespace thunkvm {

/// The gradients with respect to the inputs, null for those that are not inexact.
std::vector<Variable> gradients_by(GradientRule rule, Apply& node, const Variable& gradient);

/// The tangent of the output. Nothing for complex numbers: the rule of a gradient is conjugate.
std::optional<std::vector<Variable>> tangents_by(GradientRule rule, Apply& node,
                                                 std::span<const Variable> tangents);

}  // namespace thunkvm
