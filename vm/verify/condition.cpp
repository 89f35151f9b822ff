#include "vm/verify/condition.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace thunkvm {

namespace {

// Also bounds the depth of the recursion. Nests of branches, and unions of as many arms, are
// followed up to here.
constexpr std::uint32_t kSteps = 1000;

std::size_t mix(std::uint64_t h) {
  h *= 0x9e3779b97f4a7c15ull;
  h ^= h >> 32;
  return static_cast<std::size_t>(h * 0xbf58476d1ce4e5b9ull);
}

}  // namespace

std::size_t Conditions::NodeHash::operator()(const Node& n) const {
  return mix((std::uint64_t{n.if_set} << 32 | n.if_clear) ^ mix(n.variable));
}

// Node 0 is the constant; its variable is below all others.
Conditions::Conditions() : nodes_{{0, kNever, kNever}} {}

std::uint32_t Conditions::n_variables(std::uint32_t n_arms) {
  return static_cast<std::uint32_t>(std::bit_width(std::max(n_arms, 1u) - 1));
}

Condition Conditions::takes(std::uint32_t first_variable, std::uint32_t n_arms, std::uint32_t arm) {
  // The bits of the arm's number; the last arm has the numbers that are left over as well, so that
  // one arm always is taken.
  const bool or_more = arm + 1 == n_arms;
  Condition c = kAlways;
  for (std::uint32_t bit = 0; bit < n_variables(n_arms); ++bit)
    c = (arm >> bit & 1) != 0 ? choose(first_variable + bit, c, kNever)
                              : choose(first_variable + bit, or_more ? kAlways : kNever, c);
  return c;
}

Condition Conditions::choose(std::uint32_t variable, Condition if_set, Condition if_clear) {
  if (if_set == if_clear) return if_set;
  const Condition negated = if_set & 1;
  const Node node{variable + 1, if_set ^ negated, if_clear ^ negated};
  const auto [entry, is_new] = known_.try_emplace(node, static_cast<Condition>(nodes_.size() << 1));
  if (is_new) nodes_.push_back(node);
  return entry->second ^ negated;
}

Condition Conditions::both(Condition a, Condition b) {
  steps_ = 0;
  return join(a, b);
}

Condition Conditions::join(Condition a, Condition b) {
  if (a > b) std::swap(a, b);
  if (a == kNever || a == b) return a;
  if (b >= kUnknown) return kUnknown;
  if (a == kAlways) return b;
  if (a == (b ^ 1)) return kNever;
  const std::uint64_t pair = std::uint64_t{a} << 32 | b;
  if (const auto done = joined_.find(pair); done != joined_.end()) return done->second;
  if (++steps_ > kSteps) return kUnknown;
  const Node x = nodes_[a >> 1], y = nodes_[b >> 1];
  const std::uint32_t variable = std::max(x.variable, y.variable);
  const auto part = [variable](Condition whole, const Node& node, Condition side) {
    return node.variable == variable ? side ^ (whole & 1) : whole;
  };
  const Condition if_set = join(part(a, x, x.if_set), part(b, y, y.if_set));
  if (if_set >= kUnknown) return kUnknown;
  const Condition if_clear = join(part(a, x, x.if_clear), part(b, y, y.if_clear));
  if (if_clear >= kUnknown) return kUnknown;
  const Condition result = choose(variable - 1, if_set, if_clear);
  joined_.emplace(pair, result);
  return result;
}

}  // namespace thunkvm
