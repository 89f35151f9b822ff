// replacements.h: the variables that a substitution replaces, and what replaces each.
#pragma once

#include "ops/graph/variable.h"

#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>

namespace thunkvm {

/// Pairs of a variable and its replacement, found by the variable; of two pairs for one variable
/// the first counts.
///
/// A replacement may use other variables that are replaced. The constructor throws Error(Value)
/// with the path of a cycle where a variable's replacement comes to depend on it. Linear in the
/// replacements' graphs, without recursion; the pairs live as long as it does.
class Replacements {
 public:
  explicit Replacements(std::span<const std::pair<Variable, Variable>> pairs);

  /// Null where the variable is not replaced.
  const Variable* of(const Variable& v) const {
    const auto found = index_.find(v);
    return found == index_.end() ? nullptr : &pairs_[found->second].second;
  }
  bool contains(const Variable& v) const { return index_.contains(v); }

 private:
  std::span<const std::pair<Variable, Variable>> pairs_;
  std::unordered_map<Variable, std::uint32_t, VariableHash> index_;  ///< among the pairs
};

}  // namespace thunkvm
