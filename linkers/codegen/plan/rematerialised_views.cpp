#include "linkers/codegen/plan/rematerialised_views.h"

#include "linkers/codegen/plan/plan.h"
#include "ops/graph/index_map.h"

namespace thunkvm {

RematerialisedViews::RematerialisedViews(const Plan& plan) {
  const Program& program = plan.program();
  const Schedule& schedule = plan.schedule();
  steps_.assign(program.n_registers, kNone);
  if (!plan.options().fuse || plan.options().unfused) return;
  std::vector<bool> lasting(program.n_registers, true);
  std::vector<std::uint32_t> reads(program.n_registers, 0);  // by what may be a member of a loop
  for (const std::uint32_t reg : schedule.dying) lasting[reg] = false;
  for (const Statement& s : schedule.statements)
    if (s.kind == Statement::Kind::Move && s.takes) lasting[s.from] = false;
  const auto n_steps = static_cast<std::uint32_t>(program.steps.size());
  for (std::uint32_t step = 0; step < n_steps; ++step) {
    const Operands& o = program.steps[step].operands;
    const StepForm::Kind kind = plan.step(step).kind;
    if (kind == StepForm::Kind::Mapped) lasting[o.output(0)] = false;
    if (kind != StepForm::Kind::Mapped && kind != StepForm::Kind::Element) continue;
    for (int k = 0; k < o.n_inputs; ++k) ++reads[o.input(k)];
  }
  for (std::uint32_t step = 0; step < n_steps; ++step) {
    const StepForm& form = plan.step(step);
    if (form.kind != StepForm::Kind::Mapped || form.map->kind != IndexMap::Kind::Slice) continue;
    const Operands& o = program.steps[step].operands;
    const std::uint32_t base = o.input(0), out = o.output(0);
    // A segment of nothing else has no group that could retire anything.
    if (plan.node(step).input(0).ndim() > 0 && lasting[base] && plan.writes(base) == 1 &&
        plan.writes(out) == 1 && program.steps[step].retire_count == 0 && reads[out] > 0 &&
        reads[out] == plan.reads(out))
      steps_[out] = step;
  }
}

}  // namespace thunkvm
