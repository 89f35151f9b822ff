// gradient.h: reverse-mode differentiation that is sound for branches.
#pragma once

#include "ops/graph/variable.h"

#include <span>
#include <vector>

namespace thunkvm {

/// The gradients of a scalar `cost` with respect to `wrt`, as graph; zeros where `cost` depends on
/// one in steps alone (through floor, a comparison, a condition), null where it does not depend on
/// it.
///
/// The backward pass of an arm lives in that arm: what an untaken branch would have contributed is
/// never computed, not even as a zero. A node used by several arms gets its backward pass under the
/// disjunction of their conditions. Outputs of one node that have a gradient in the same regions
/// have one backward pass; one whose gradient may be there without the others' has a pass of its
/// own, with null for theirs. The graph is no larger than that of `cost`, by a constant factor,
/// however deep branches are nested. Throws Error(Type) where `cost` is not a scalar of an inexact
/// dtype, Error(NotImplemented) where an Op on the way has no gradient.
std::vector<Variable> gradients(const Variable& cost, std::span<const Variable> wrt);

/// The same for any number of outputs, each with the gradient that comes in (null: nothing).
std::vector<Variable> pull_back(std::span<const Variable> outputs,
                                std::span<const Variable> output_gradients,
                                std::span<const Variable> wrt);

/// `roots` with `from` replaced by `to`, which has one more leading axis: every Op on the way is
/// batched by its own rule. Roots that do not depend on any replaced variable come back as they
/// are, with `batched` false.
///
/// `length` is the batch's: what an arm without a batch is repeated to. Where it is left out, the
/// first of `to` is asked, which then has to be something that may be computed whichever arm is
/// taken.
struct Batched {
  std::vector<Variable> roots;
  std::vector<bool> batched;
};
Batched vectorize(std::span<const Variable> roots, std::span<const Variable> from,
                  std::span<const Variable> to, const Variable& length = {});

/// d expression / d wrt, of shape expression.shape + wrt.shape: one batched backward pass, of a row
/// for each element of the expression.
Variable jacobian(const Variable& expression, const Variable& wrt);
/// The same by one batched forward pass, of a row for each element of `wrt`.
Variable forward_jacobian(const Variable& expression, const Variable& wrt);

}  // namespace thunkvm
