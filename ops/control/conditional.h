// conditional.h: the built-in lazy Op and what is built of it.
#pragma once

#include "ops/graph/op.h"

#include <span>
#include <string>
#include <vector>

namespace thunkvm {

/// The names of something built of a conditional, and of its arms, in messages.
struct ArmNames {
  std::string op;
  std::vector<std::string> arms;
};

/// `n_outputs` values from one of several arms; only the arm that the selector picks is computed.
///
/// Arms hold one variable for each output. Their dtypes are promoted unless `strict`, static shapes
/// joined; a differing number of dimensions, or dtypes under `strict`, is Error(Type) that names
/// the path, both types and both source lines. The selector is any 0-d or one-element number.
/// Messages speak of then and else, or of cases, unless they are given names.
std::vector<Variable> conditional(const Variable& selector, Decoding decoding,
                                  std::span<const std::vector<Variable>> arms, bool strict = false,
                                  const ArmNames* names = nullptr);

/// The conditional that a node is; null for all others.
inline const Conditional* conditional_of(const Apply& node) {
  return node.op() == nullptr ? nullptr : node.op()->conditional();
}

/// One output of a node that is `of_all`, as a conditional of its own, with that origin and name.
Variable output_alone(const Conditional& of_all, const Variable& output);

/// arm 1 if `condition` is true, else arm 0.
Variable ifelse(const Variable& condition, const Variable& then, const Variable& otherwise);

/// Short-circuit: `b` is computed only if `a` is true (false). Both become bool scalars.
Variable lazy_and(const Variable& a, const Variable& b);
Variable lazy_or(const Variable& a, const Variable& b);

}  // namespace thunkvm
