// condition.h: under which decisions of a program's branches something holds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace thunkvm {

/// A set of outcomes of all decisions of a call, as a number that `Conditions` knows the meaning
/// of. Equal sets have equal numbers.
using Condition = std::uint32_t;
inline constexpr Condition kNever = 0;
inline constexpr Condition kAlways = 1;
/// What grew too large to follow. All that is made of it is unknown too, unless it is sure for
/// other reasons: `both` of it and kNever is kNever.
inline constexpr Condition kUnknown = UINT32_MAX - 1;

/// True for a condition that holds for some decisions for certain.
inline bool is_possible(Condition c) { return c != kNever && c < kUnknown; }
inline Condition negation(Condition c) { return c < kUnknown ? c ^ 1 : c; }

/// Conditions as binary decision diagrams, shared and remembered. A decision among n arms is
/// log2(n) binary variables, numbered by the caller. The number also is the order: a condition on
/// variables above those of another one is joined with it in time for the former alone, so that
/// decisions that are made within others should have the higher numbers.
///
/// Cost: an operation takes at most kSteps steps that were not taken before; beyond, its result is
/// kUnknown.
class Conditions {
 public:
  Conditions();

  /// How many variables a decision among `n_arms` takes.
  static std::uint32_t n_variables(std::uint32_t n_arms);
  /// That the decision that has `first_variable` takes `arm`.
  Condition takes(std::uint32_t first_variable, std::uint32_t n_arms, std::uint32_t arm);

  Condition both(Condition a, Condition b);
  Condition either(Condition a, Condition b) { return negation(both(negation(a), negation(b))); }
  Condition but_not(Condition a, Condition b) { return both(a, negation(b)); }

 private:
  // A condition is the index of a node, twice, plus one if the node is negated. `if_set` is never
  // negated.
  struct Node {
    std::uint32_t variable;
    Condition if_set, if_clear;
    friend bool operator==(const Node&, const Node&) = default;
  };
  struct NodeHash {
    std::size_t operator()(const Node& n) const;
  };

  Condition choose(std::uint32_t variable, Condition if_set, Condition if_clear);
  Condition join(Condition a, Condition b);

  std::vector<Node> nodes_;
  std::unordered_map<Node, Condition, NodeHash> known_;
  std::unordered_map<std::uint64_t, Condition> joined_;
  std::uint32_t steps_ = 0;
};

}  // namespace thunkvm
