// conditions.h: under which decisions of a program's branches something holds.
#pragma once

#include "vm/program.h"

#include <compare>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

namespace thunkvm {

/// A set of outcomes of all decisions of a call, as a number that `Conditions` knows the meaning
/// of. Equal sets have equal numbers.
using Condition = std::uint32_t;
inline constexpr Condition kNever = 0;
inline constexpr Condition kAlways = 1;
/// A condition that grew too large to follow. All that is made of it is unknown too, unless it is
/// sure for other reasons: `both` of it and kNever is kNever.
inline constexpr Condition kUnknown = UINT32_MAX - 1;

/// True for a condition that holds for some decisions for certain.
inline bool is_possible(Condition c) { return c != kNever && c < kUnknown; }
inline Condition negation(Condition c) { return c < kUnknown ? c ^ 1 : c; }

/// The conditions of one program, as binary decision diagrams: equal parts are made once, and joins
/// are remembered. A decision among n arms is log2(n) binary variables, numbered in the order of
/// the code, in which decisions within others come later: a condition on later variables is joined
/// in time for it alone.
///
/// Cost: an operation takes at most kConditionSteps steps that were not taken before; beyond, its
/// result is kUnknown.
class Conditions {
 public:
  explicit Conditions(const Program& program);

  /// That `branch` takes `arm`. Branches on one register that decode it alike share their decision.
  Condition takes(std::uint32_t branch, std::uint32_t arm);

  Condition both(Condition a, Condition b);
  Condition either(Condition a, Condition b) { return negation(both(negation(a), negation(b))); }
  Condition but_not(Condition a, Condition b) { return both(a, negation(b)); }

 private:
  // A condition is the index of a node, twice, plus one if the node is negated. `if_set` is never
  // negated.
  struct Node {
    std::uint32_t variable;
    Condition if_set, if_clear;
    friend auto operator<=>(const Node&, const Node&) = default;
  };

  Condition choose(std::uint32_t variable, Condition if_set, Condition if_clear);
  Condition join(Condition a, Condition b);

  const Program& program_;
  std::vector<std::uint32_t> first_variable_;  ///< by branch
  std::vector<Node> nodes_;
  std::map<Node, Condition> known_;
  std::unordered_map<std::uint64_t, Condition> joined_;
  std::uint32_t steps_ = 0;
};

}  // namespace thunkvm
