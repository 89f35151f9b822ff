#include "ops/gradient/region_sums.h"

#include "ops/control/conditional.h"
#include "ops/gradient/limits.h"
#include "ops/graph/cut_gradient.h"
#include "ops/graph/functions.h"

#include <algorithm>
#include <utility>

namespace thunkvm {

std::uint32_t RegionSums::number(const Variable& selector) {
  const auto [entry, fresh] =
      selector_numbers_.try_emplace(selector, static_cast<std::uint32_t>(selectors_.size()));
  if (fresh) selectors_.push_back(selector);
  return entry->second;
}

Region RegionSums::under(Region region, const Variable& condition) {
  return regions_.first_arm(regions_.open_arms(region, number(condition), Decoding::Truth, 2)) + 1;
}

Region RegionSums::common_region(std::span<const Contribution> parts) const {
  Region common = parts.front().region;
  for (const Contribution& part : parts) common = regions_.lca(common, part.region);
  return common;
}

Partial RegionSums::sum(Region region, std::span<const Contribution> parts) {
  if (parts.size() == 1 && parts.front().region == region) return {parts.front().value, {}};
  return add_up(gather(region, parts));
}

Variable RegionSums::total(std::span<const Contribution> parts, const Variable& x) {
  if (parts.empty()) return {};
  const Gathered gathered = gather(kRootRegion, parts);
  if (!gathered.sum && gathered.keys.size() == 1 && in_one_branch(gathered.keys.front()) &&
      !is_everywhere(gathered.keys.front())) {
    // One branch, as the forward pass has it.
    const Arms& arms = gathered.keys.front();
    const Variable zeros = zeros_like(x);
    std::vector<Variable> values(regions_.n_arms(arms.key), zeros);
    for (const auto& [arm, part] : arms.arms)
      values[arm] = part.everywhere() ? part.value : ifelse(part.present, part.value, zeros);
    return pick(arms.key, values);
  }
  const Partial sum = add_up(gathered);
  return sum.everywhere() ? sum.value : ifelse(sum.present, sum.value, zeros_like(x));
}

// In the order of a walk through the tree, in which a region comes before those below it.
bool RegionSums::comes_before(Region a, Region b) const {
  if (a == b) return false;
  const Region common = regions_.lca(a, b);
  if (common == a || common == b) return common == a;
  return regions_.child_towards(common, a) < regions_.child_towards(common, b);
}

// The parts, by region: in the regions that hold some, and in those where the ways to them
// part.
RegionSums::Gathered RegionSums::gather(Region region, std::span<const Contribution> parts) {
  std::vector<Contribution> sorted(parts.begin(), parts.end());
  std::stable_sort(sorted.begin(), sorted.end(), [&](const Contribution& a, const Contribution& b) {
    return comes_before(a.region, b.region);
  });
  std::vector<Gathered> open = {{region, {}, {}}};  // each below the one before it
  for (const Contribution& part : sorted) {
    close_down_to(regions_.lca(open.back().region, part.region), open);
    if (open.back().region != part.region) open.push_back({part.region, {}, {}});
    Variable& sum = open.back().sum;
    sum = sum ? sum_of_gradients(sum, part.value) : part.value;
  }
  close_down_to(region, open);
  return std::move(open.front());
}

// Adds up what is open below `region`, for the arms that it is in.
void RegionSums::close_down_to(Region region, std::vector<Gathered>& open) {
  while (open.back().region != region) {
    const Gathered inner = std::move(open.back());
    open.pop_back();
    if (regions_.depth(open.back().region) < regions_.depth(region))
      open.push_back({region, {}, {}});
    Gathered& outer = open.back();
    const Region arm = regions_.child_towards(outer.region, inner.region);
    Partial part = add_up(inner);
    if (arm != inner.region) {
      const Variable there = reached(inner.region);
      part.present = part.present ? lazy_and(there, part.present) : there;
    }
    const std::uint32_t key = regions_.key(arm);
    if (outer.keys.empty() || outer.keys.back().key != key) outer.keys.push_back({key, {}});
    outer.keys.back().arms.push_back({regions_.arm(arm), std::move(part)});
  }
}

Partial RegionSums::add_up(const Gathered& gathered) {
  std::vector<const Arms*> keys;
  for (const Arms& arms : gathered.keys) keys.push_back(&arms);
  // What is everywhere first: then there is always something to add to.
  std::stable_partition(keys.begin(), keys.end(), [&](const Arms* a) { return is_everywhere(*a); });
  Partial total{gathered.sum, {}};
  for (const Arms* arms : keys) {
    if (total.everywhere()) {
      total.value = added_to(total.value, *arms);
      continue;
    }
    const Partial part = of_arms(*arms);
    if (total.nowhere()) {
      total = part;
      continue;
    }
    const Variable both = ifelse(total.present, add(total.value, part.value), part.value);
    total = {ifelse(part.present, both, total.value), lazy_or(total.present, part.present)};
  }
  return total;
}

bool RegionSums::is_everywhere(const Arms& arms) const {
  return arms.arms.size() == regions_.n_arms(arms.key) &&
         std::all_of(arms.arms.begin(), arms.arms.end(),
                     [](const Arm& a) { return a.part.everywhere(); });
}

bool RegionSums::in_one_branch(const Arms& arms) const {
  const std::uint32_t n_arms = regions_.n_arms(arms.key);
  return n_arms <= kFewArms || 2 * arms.arms.size() >= n_arms;
}

Variable RegionSums::added_to(const Variable& base, const Arms& arms) {
  if (!in_one_branch(arms)) {
    Variable result = base;
    for (const Arm& arm : arms.arms)
      result = ifelse(present_in(arms, arm), add(base, arm.part.value), result);
    return result;
  }
  std::vector<Variable> values(regions_.n_arms(arms.key), base);
  for (const auto& [arm, part] : arms.arms) {
    const Variable more = add(base, part.value);
    values[arm] = part.everywhere() ? more : ifelse(part.present, more, base);
  }
  return pick(arms.key, values);
}

Partial RegionSums::of_arms(const Arms& arms) {
  const Arm& first = arms.arms.front();
  if (arms.arms.size() == 1 && regions_.n_arms(arms.key) > 1)
    return {first.part.value, present_in(arms, first)};
  if (!in_one_branch(arms)) {
    Partial some{first.part.value, present_in(arms, first)};
    for (const Arm& arm : std::span(arms.arms).subspan(1)) {
      const Variable present = present_in(arms, arm);
      some = {ifelse(present, arm.part.value, some.value), lazy_or(present, some.present)};
    }
    return some;
  }
  // Where there is nothing, nobody asks for the value.
  std::vector<Variable> values(regions_.n_arms(arms.key), first.part.value);
  std::vector<Variable> presents(values.size(), Variable::number(false));
  for (const auto& [arm, part] : arms.arms) {
    values[arm] = part.value;
    presents[arm] = part.present ? part.present : Variable::number(true);
  }
  return {pick(arms.key, values), is_everywhere(arms) ? Variable() : pick(arms.key, presents)};
}

// Whether what one arm holds is there, asked in the region that the arms are under.
Variable RegionSums::present_in(const Arms& arms, const Arm& arm) {
  const Variable there = taken(regions_.first_arm(arms.key) + arm.arm);
  return arm.part.present ? lazy_and(there, arm.part.present) : there;
}

Variable RegionSums::pick(std::uint32_t key, std::span<const Variable> values) {
  std::vector<std::vector<Variable>> arms;
  for (const Variable& v : values) arms.push_back({v});
  return conditional(selectors_[regions_.selector(key)], regions_.decoding(key), arms).front();
}

// Which arm is taken, as a number.
Variable RegionSums::arm_number(std::uint32_t key) {
  Variable& number = arm_numbers_[key];
  if (!number) {
    std::vector<Variable> numbers;
    for (std::uint32_t a = 0; a < regions_.n_arms(key); ++a)
      numbers.push_back(Variable::number(std::int64_t{a}));
    number = pick(key, numbers);
  }
  return number;
}

// Whether control that is in the region around an arm gets into that arm.
Variable RegionSums::taken(Region arm) {
  if (taken_.size() < regions_.n_regions()) taken_.resize(regions_.n_regions());
  Variable& taken = taken_[arm];
  if (taken) return taken;
  const std::uint32_t key = regions_.key(arm), a = regions_.arm(arm);
  const Variable& selector = selectors_[regions_.selector(key)];
  if (regions_.decoding(key) == Decoding::Truth && a == 1 && selector.ndim() == 0 &&
      selector.dtype() == DType::Bool) {
    taken = selector;
  } else if (regions_.n_arms(key) > kFewArms) {
    taken = call_op("eq", {arm_number(key), Variable::number(std::int64_t{a})});
  } else {
    std::vector<Variable> flags(regions_.n_arms(key), Variable::number(false));
    flags[a] = Variable::number(true);
    taken = pick(key, flags);
  }
  return taken;
}

// Whether control gets into a region at all. What lies below another asks that one first, so that
// no selector is asked for that the way to the region does not ask for.
Variable RegionSums::reached(Region region) {
  if (reached_.size() < regions_.n_regions()) reached_.resize(regions_.n_regions());
  std::vector<Region> way;
  for (; region != kRootRegion && !reached_[region]; region = regions_.parent(region))
    way.push_back(region);
  Variable there = reached_[region];
  for (; !way.empty(); way.pop_back()) {
    const Variable here = taken(way.back());
    there = there ? lazy_and(there, here) : here;
    reached_[way.back()] = there;
  }
  return there;
}

}  // namespace thunkvm
