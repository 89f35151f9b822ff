#include "vm/verify/conditions.h"

#include "vm/limits.h"

#include <algorithm>
#include <bit>
#include <tuple>
#include <utility>

namespace thunkvm {
namespace {

// How many variables a decision takes.
std::uint32_t n_variables(const Branch& branch) {
  return static_cast<std::uint32_t>(std::bit_width(std::max(branch.n_arms, 1u) - 1));
}

}  // namespace

// Node 0 is the constant; its variable is below all others, which count from 1.
Conditions::Conditions(const Program& program)
    : program_(program), first_variable_(program.branches.size()), nodes_{{0, kNever, kNever}} {
  std::map<std::tuple<std::uint32_t, Decoding, std::uint32_t>, std::uint32_t> known;
  std::uint32_t next = 1;
  for (const Instruction& instruction : program.code) {
    if (instruction.op != Opcode::Branch) continue;
    const Branch& branch = program.branches[instruction.a];
    const auto [decision, is_new] =
        known.try_emplace({branch.selector, branch.decoding, branch.n_arms}, next);
    if (is_new) next += n_variables(branch);
    first_variable_[instruction.a] = decision->second;
  }
}

Condition Conditions::takes(std::uint32_t branch, std::uint32_t arm) {
  // The bits of the arm's number; the last arm has the numbers that are left over as well, so that
  // one arm always is taken.
  const Condition if_more = arm + 1 == program_.branches[branch].n_arms ? kAlways : kNever;
  Condition c = kAlways;
  for (std::uint32_t bit = 0; bit < n_variables(program_.branches[branch]); ++bit) {
    const std::uint32_t variable = first_variable_[branch] + bit;
    c = (arm >> bit & 1) != 0 ? choose(variable, c, kNever) : choose(variable, if_more, c);
  }
  return c;
}

Condition Conditions::choose(std::uint32_t variable, Condition if_set, Condition if_clear) {
  if (if_set == if_clear) return if_set;
  const Condition negated = if_set & 1;
  const Node node{variable, if_set ^ negated, if_clear ^ negated};
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
  if (++steps_ > kConditionSteps) return kUnknown;
  const Node x = nodes_[a >> 1], y = nodes_[b >> 1];
  const std::uint32_t variable = std::max(x.variable, y.variable);
  const auto part = [variable](Condition whole, const Node& node, Condition side) {
    return node.variable == variable ? side ^ (whole & 1) : whole;
  };
  const Condition if_set = join(part(a, x, x.if_set), part(b, y, y.if_set));
  if (if_set >= kUnknown) return kUnknown;
  const Condition if_clear = join(part(a, x, x.if_clear), part(b, y, y.if_clear));
  if (if_clear >= kUnknown) return kUnknown;
  return joined_[pair] = choose(variable, if_set, if_clear);
}

}  // namespace thunkvm
