#include "linkers/codegen/plan/index_maps.h"

#include "linkers/codegen/plan/limits.h"

#include <algorithm>

namespace thunkvm {

IndexMaps::IndexMaps(const Plan& plan, std::uint32_t first, std::uint32_t end) : plan_(plan) {
  if (!plan.options().fuse) return;
  using Kind = StepForm::Kind;
  const auto is_outside = [&](const Access& access) {
    if (access.kind != Access::Kind::Read) return false;
    if (access.step < first || access.step >= end) return true;
    const StepForm& form = plan_.step(access.step);
    if (form.kind != Kind::Mapped) return form.kind != Kind::Element;
    // A value of the same lengths may be one that a loop computes, for others too.
    return escaping_.contains(access.step) && !form.map->rule().is_value;
  };
  for (std::uint32_t step = end; step-- > first;)
    if (plan_.step(step).kind == Kind::Mapped &&
        std::ranges::any_of(plan_.accesses(output(step)), is_outside))
      escaping_.insert(step);
}

std::uint32_t IndexMaps::output(std::uint32_t step) const {
  return plan_.program().steps[step].operands.output(0);
}

bool IndexMaps::is_number(std::uint32_t step) const {
  return plan_.node(step).input(plan_.step(step).map->value).ndim() == 0;
}

std::uint32_t IndexMaps::step_of(std::uint32_t reg) const {
  const auto found = mapped_.find(reg);
  if (found != mapped_.end()) return found->second.step;
  return computed_.contains(reg) ? kNone : plan_.reg(reg).rematerialised_view;
}

IndexMap::Rule IndexMaps::rule_of(std::uint32_t reg) const {
  const std::uint32_t step = step_of(reg);
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

int IndexMaps::depth_of(std::uint32_t step) const {
  const Operands& o = plan_.program().steps[step].operands;
  int depth = 0;
  for (int i = 0; i < o.n_inputs; ++i)
    if (const auto found = mapped_.find(o.input(i)); found != mapped_.end())
      depth = std::max(depth, found->second.depth);
  return depth + 1;
}

/// A number, broadcast.
bool IndexMaps::is_filled(std::uint32_t reg) const {
  return rule_of(reg).is_given_lengths && is_number(step_of(reg));
}

bool IndexMaps::may_wait(std::uint32_t step) const {
  const IndexMap& map = *plan_.step(step).map;
  const IndexMap::Rule rule = map.rule();
  const Operands& o = plan_.program().steps[step].operands;
  const std::uint32_t value = o.input(map.value);
  return !escaping_.contains(step) && depth_of(step) <= kMapDepth &&
         (!rule.in_memory || is_array(value)) &&
         (rule.may_be_one || !(is_number(step) || is_part_of_number(value))) &&
         (rule.may_be_pad || !rule_of(value).pads) && (!rule.pads || is_filled(o.input(0)));
}

bool IndexMaps::suits(std::uint32_t step, int ndim,
                      const std::function<bool(std::uint32_t)>& is_member,
                      const std::function<bool(std::uint32_t)>& is_computed) const {
  const IndexMap& map = *plan_.step(step).map;
  const IndexMap::Rule rule = map.rule();
  const Operands& o = plan_.program().steps[step].operands;
  // Lengths that the loop computes have to be in memory before it runs.
  if (rule.in_memory && is_member(o.input(map.value))) return false;
  if (plan_.step(step).compares(map.lengths) && is_computed(o.input(map.lengths))) return false;
  using Axes = IndexMap::Rule::Axes;
  const int own =
      rule.axes == Axes::OfValue ? plan_.node(step).input(map.value).ndim() : plan_.step(step).ndim;
  return rule.axes == Axes::Any || own == ndim;
}

void IndexMaps::wait(std::uint32_t step) { mapped_[output(step)] = {step, depth_of(step)}; }

void IndexMaps::collect(std::uint32_t reg, std::vector<std::uint32_t>& steps) const {
  const std::uint32_t step = step_of(reg);
  if (step == kNone || std::find(steps.begin(), steps.end(), step) != steps.end()) return;
  const Operands& o = plan_.program().steps[step].operands;
  for (int i = 0; i < o.n_inputs; ++i) collect(o.input(i), steps);
  steps.push_back(step);
}

std::vector<std::uint32_t> IndexMaps::read_by(std::uint32_t step) const {
  std::vector<std::uint32_t> steps;
  const Operands& o = plan_.program().steps[step].operands;
  for (int i = 0; i < o.n_inputs; ++i) collect(o.input(i), steps);
  return steps;
}

std::uint32_t IndexMaps::mark_computed(std::uint32_t reg) {
  const std::uint32_t step = step_of(reg);
  if (step == kNone) return kNone;
  mapped_.erase(reg);
  computed_.insert(reg);
  return step;
}

std::vector<std::uint32_t> IndexMaps::waiting() const {
  std::vector<std::uint32_t> steps;
  for (const auto& [reg, mapped] : mapped_) steps.push_back(mapped.step);
  std::sort(steps.begin(), steps.end());
  return steps;
}

}  // namespace thunkvm
