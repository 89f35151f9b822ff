#include "linkers/codegen/plan/rematerialised_views.h"

#include "linkers/codegen/plan/plan.h"
#include "ops/graph/index_map.h"

namespace thunkvm {

RematerialisedViews::RematerialisedViews(const Plan& plan) {
  const Schedule& schedule = plan.schedule();
  const std::size_t n_registers = schedule.registers.size();
  steps_.assign(n_registers, kNone);
  if (!plan.options().fuse || plan.options().unfused) return;
  std::vector<bool> lasting(n_registers, true);
  std::vector<std::uint32_t> reads(n_registers, 0);  // by what may be a member of a loop
  for (const std::uint32_t reg : schedule.dying) lasting[reg] = false;
  for (const Statement& s : schedule.statements)
    if (s.kind == Statement::Kind::Move && s.takes) lasting[s.from] = false;
  for (const Statement& s : schedule.statements) {
    if (s.kind != Statement::Kind::Run) continue;
    const StepForm::Kind kind = plan.step(s.index).kind;
    if (kind == StepForm::Kind::Mapped) lasting[schedule.outputs_of(s)[0]] = false;
    if (kind != StepForm::Kind::Mapped && kind != StepForm::Kind::Element) continue;
    for (const std::uint32_t reg : schedule.inputs_of(s)) ++reads[reg];
  }
  for (const Statement& s : schedule.statements) {
    if (s.kind != Statement::Kind::Run) continue;
    const StepForm& form = plan.step(s.index);
    if (form.kind != StepForm::Kind::Mapped || !form.map->rule().is_part) continue;
    const std::uint32_t base = schedule.inputs_of(s)[0], out = schedule.outputs_of(s)[0];
    // A segment of nothing else has no group after which anything could die.
    if (plan.node(s.index).input(0).ndim() > 0 && lasting[base] && plan.writes(base) == 1 &&
        plan.writes(out) == 1 && s.n_dying == 0 && reads[out] > 0 && reads[out] == plan.reads(out))
      steps_[out] = s.index;
  }
}

}  // namespace thunkvm
