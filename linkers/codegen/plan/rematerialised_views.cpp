// rematerialised_views.cpp: parts of arrays that stay where they are, so that each loop may find
// them.
#include "linkers/codegen/plan/plan.h"
#include "ops/graph/index_map.h"

#include <algorithm>

namespace thunkvm {

/// Takes all views of lasting arrays for rematerialised ones: of arrays in memory that are written
/// once, and neither retired nor taken by a move.
void Plan::find_rematerialised_views() {
  rematerialised_.assign(program_.n_registers, kNone);
  if (!options_.fuse || options_.unfused) return;
  std::vector<bool> lasting(program_.n_registers, true);
  std::vector<std::uint32_t> reads(program_.n_registers, 0);  // by what may be a member of a loop
  for (const std::uint32_t reg : schedule_.dying) lasting[reg] = false;
  for (const Statement& s : schedule_.statements)
    if (s.kind == Statement::Kind::Move && s.takes) lasting[s.from] = false;
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const Operands& o = program_.steps[i].operands;
    const StepForm::Kind kind = steps_[i].kind;
    if (kind == StepForm::Kind::Mapped) lasting[o.output(0)] = false;
    if (kind != StepForm::Kind::Mapped && kind != StepForm::Kind::Element) continue;
    for (int k = 0; k < o.n_inputs; ++k) ++reads[o.input(k)];
  }
  for (std::uint32_t step = 0; step < steps_.size(); ++step) {
    const StepForm& form = steps_[step];
    if (form.kind != StepForm::Kind::Mapped || form.map->kind != IndexMap::Kind::Slice) continue;
    const Operands& o = program_.steps[step].operands;
    const std::uint32_t base = o.input(0), out = o.output(0);
    // A segment of nothing else has no group that could retire anything.
    if (node(step).input(0).ndim() > 0 && lasting[base] && writes_[base] == 1 &&
        writes_[out] == 1 && program_.steps[step].retire_count == 0 && reads[out] > 0 &&
        reads[out] == reads_[out])
      rematerialised_[out] = step;
  }
}

/// False if there were rematerialised views that other code than loops reads, which are none any
/// more.
bool Plan::keep_rematerialised_views() {
  std::vector<std::uint32_t> loop_reads(program_.n_registers, 0);
  for (const std::vector<Group>& groups : groups_)
    for (const Group& group : groups) {
      if (group.kind != Group::Kind::Loop) continue;
      for (const std::uint32_t step : group.steps) {
        const Operands& o = program_.steps[step].operands;
        for (int i = 0; i < o.n_inputs; ++i) {
          const std::uint32_t view = rematerialised_[o.input(i)];
          if (view != kNone && is_member(group.steps, view)) ++loop_reads[o.input(i)];
        }
      }
    }
  bool kept = true;
  for (std::uint32_t reg = 0; reg < program_.n_registers; ++reg) {
    if (rematerialised_[reg] == kNone || loop_reads[reg] == reads_[reg]) continue;
    rematerialised_[reg] = kNone;
    kept = false;
  }
  return kept;
}

}  // namespace thunkvm
