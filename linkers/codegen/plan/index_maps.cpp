#include "linkers/codegen/plan/index_maps.h"

#include "linkers/codegen/plan/limits.h"

#include <algorithm>
#include <ranges>

namespace thunkvm {

IndexMaps::IndexMaps(const Plan& plan, StepIndex first, StepIndex end) : plan_(plan) {
  if (!plan.options().fuse) return;
  using Kind = StepForm::Kind;
  const auto is_outside = [&](const Touch& touch) {
    if (touch.kind != Touch::Kind::Read) return false;
    const StepIndex step = plan_.step_of(touch);
    if (step < first || step >= end) return true;
    const StepForm& form = plan_.step(step);
    if (form.kind != Kind::Mapped) return form.kind != Kind::Element;
    // A value of the same lengths may be one that a nest computes, for others too.
    return escaping_.contains(step) && !form.map->rule().is_value;
  };
  for (const StepIndex step : std::views::iota(first, end) | std::views::reverse)
    if (plan_.step(step).kind == Kind::Mapped &&
        std::ranges::any_of(plan_.touches(plan_.output(step)), is_outside))
      escaping_.insert(step);
}

bool IndexMaps::is_number(StepIndex step) const {
  return plan_.node(step).input(plan_.step(step).map->value).ndim() == 0;
}

StepIndex IndexMaps::step_of(std::uint32_t reg) const {
  const auto found = mapped_.find(reg);
  if (found != mapped_.end()) return found->second.step;
  return computed_.contains(reg) ? kNone : plan_.reg(reg).rematerialised_view;
}

IndexMap::Rule IndexMaps::rule_of(std::uint32_t reg) const {
  const StepIndex step = step_of(reg);
  return step == kNone ? IndexMap::Rule{} : plan_.step(step).map->rule();
}

/// The one element of a 0-d number, along any number of axes.
bool IndexMaps::is_part_of_number(std::uint32_t reg) const {
  return rule_of(reg).is_part && is_number(step_of(reg));
}

/// An array in memory, or a part of one.
bool IndexMaps::is_array(std::uint32_t reg) const {
  return step_of(reg) == kNone || (rule_of(reg).is_part && !is_part_of_number(reg));
}

int IndexMaps::depth_of(StepIndex step) const {
  int depth = 0;
  for (const std::uint32_t reg : plan_.inputs(step))
    if (const auto found = mapped_.find(reg); found != mapped_.end())
      depth = std::max(depth, found->second.depth);
  return depth + 1;
}

/// A number, broadcast.
bool IndexMaps::is_filled(std::uint32_t reg) const {
  return rule_of(reg).is_given_lengths && is_number(step_of(reg));
}

bool IndexMaps::may_wait(StepIndex step) const {
  const IndexMap& map = *plan_.step(step).map;
  const IndexMap::Rule rule = map.rule();
  const std::uint32_t value = plan_.inputs(step)[map.value];
  return !escaping_.contains(step) && depth_of(step) <= kMapDepth &&
         (!rule.in_memory || is_array(value)) &&
         (rule.may_be_one || !(is_number(step) || is_part_of_number(value))) &&
         (rule.may_be_pad || !rule_of(value).pads) &&
         (!rule.pads || is_filled(plan_.inputs(step)[0]));
}

void IndexMaps::wait(StepIndex step) { mapped_[plan_.output(step)] = {step, depth_of(step)}; }

void IndexMaps::collect(std::uint32_t reg, std::vector<StepIndex>& steps) const {
  const StepIndex step = step_of(reg);
  if (step == kNone || std::find(steps.begin(), steps.end(), step) != steps.end()) return;
  for (const std::uint32_t input : plan_.inputs(step)) collect(input, steps);
  steps.push_back(step);
}

std::vector<StepIndex> IndexMaps::read_by(StepIndex step) const {
  std::vector<StepIndex> steps;
  for (const std::uint32_t reg : plan_.inputs(step)) collect(reg, steps);
  return steps;
}

StepIndex IndexMaps::mark_computed(std::uint32_t reg) {
  const StepIndex step = step_of(reg);
  if (step == kNone) return kNone;
  mapped_.erase(reg);
  computed_.insert(reg);
  return step;
}

std::vector<StepIndex> IndexMaps::waiting() const {
  std::vector<StepIndex> steps;
  for (const auto& [reg, mapped] : mapped_) steps.push_back(mapped.step);
  std::sort(steps.begin(), steps.end());
  return steps;
}

}  // namespace thunkvm
