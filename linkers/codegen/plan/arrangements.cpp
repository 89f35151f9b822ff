#include "linkers/codegen/plan/arrangements.h"

#include <algorithm>

namespace thunkvm {
namespace {

constexpr int kDepth = 8;  ///< arrangements of arrangements that a loop does without

}  // namespace

void Arrangements::begin() {
  arranged_.clear();
  taken_.clear();
}

std::uint32_t Arrangements::output(std::uint32_t step) const {
  return plan_.program().steps[step].operands.output(0);
}

bool Arrangements::is_number(std::uint32_t step, int input) const {
  return plan_.node(step).input(input).ndim() == 0;
}

std::uint32_t Arrangements::step_of(std::uint32_t reg) const {
  const auto found = arranged_.find(reg);
  if (found != arranged_.end()) return found->second.step;
  const std::uint32_t view = plan_.rematerialised_view(reg);
  return view == kNone || is_kernel(view) ? kNone : view;
}

bool Arrangements::is(std::uint32_t reg, Arrangement::Kind kind) const {
  const std::uint32_t step = step_of(reg);
  return step != kNone && plan_.step(step).arrangement->kind == kind;
}

/// A view of a 0-d number: its one element, along any number of axes.
bool Arrangements::is_number_view(std::uint32_t reg) const {
  return is(reg, Arrangement::Kind::View) && is_number(step_of(reg), 0);
}

/// An array in memory, or a part of one.
bool Arrangements::is_array(std::uint32_t reg) const {
  return step_of(reg) == kNone || (is(reg, Arrangement::Kind::View) && !is_number_view(reg));
}

int Arrangements::depth_of(std::uint32_t step) const {
  const Operands& o = plan_.program().steps[step].operands;
  int depth = 0;
  for (int i = 0; i < o.n_inputs; ++i)
    if (const auto found = arranged_.find(o.input(i)); found != arranged_.end())
      depth = std::max(depth, found->second.depth);
  return depth + 1;
}

bool Arrangements::may_wait(std::uint32_t step) const {
  const Arrangement& arrangement = *plan_.step(step).arrangement;
  const Operands& o = plan_.program().steps[step].operands;
  if (depth_of(step) > kDepth) return false;
  const std::uint32_t value = o.input(arrangement.value);
  switch (arrangement.kind) {
    case Arrangement::Kind::Lengths: return !is_number(step, 0) && !is_number_view(value);
    case Arrangement::Kind::Repeat: return !is(value, Arrangement::Kind::Place);
    case Arrangement::Kind::Same:
      return !is_number_view(value) && !is(value, Arrangement::Kind::Place);
    case Arrangement::Kind::View: return is_array(value);
    case Arrangement::Kind::Place: {
      if (!is(o.input(0), Arrangement::Kind::Repeat)) return false;
      const std::uint32_t base = step_of(o.input(0));
      return is_number(base, plan_.step(base).arrangement->value) && is_array(o.input(1));
    }
    case Arrangement::Kind::Element: break;  // a Pick
  }
  return false;
}

bool Arrangements::suits(std::uint32_t step, int ndim,
                         const std::function<bool(std::uint32_t)>& is_member,
                         const std::function<bool(std::uint32_t)>& is_computed) const {
  const StepForm& form = plan_.step(step);
  const Operands& o = plan_.program().steps[step].operands;
  // Parts of what the loop itself computes, what is put into places, and lengths that are no
  // array's have to be in memory.
  switch (form.arrangement->kind) {
    case Arrangement::Kind::Lengths: return plan_.node(step).input(0).ndim() == ndim;
    case Arrangement::Kind::Repeat:
    case Arrangement::Kind::Same:
      return form.ndim == ndim && !is_computed(o.input(form.arrangement->lengths));
    case Arrangement::Kind::View: return !is_member(o.input(0)) && form.ndim <= ndim;
    case Arrangement::Kind::Place: return !is_member(o.input(1)) && form.ndim == ndim;
    case Arrangement::Kind::Element: break;
  }
  return false;
}

void Arrangements::give_up_escaping(std::uint32_t first, std::uint32_t end) {
  std::unordered_map<std::uint32_t, std::uint32_t> reads;  // by what may be a member of a loop
  for (std::uint32_t step = end; step-- > first;) {
    const StepForm& form = plan_.step(step);
    const bool arranged = form.kind == StepForm::Kind::Arranged;
    // A value of the same lengths may be one that a loop computes, for others too.
    if (arranged && form.arrangement->kind != Arrangement::Kind::Same &&
        !plan_.is_rematerialised(step) && reads[output(step)] != plan_.reads(output(step)))
      give_up(step);
    if (form.kind != StepForm::Kind::Element && (!arranged || is_kernel(step))) continue;
    const Operands& o = plan_.program().steps[step].operands;
    for (int i = 0; i < o.n_inputs; ++i) ++reads[o.input(i)];
  }
}

void Arrangements::wait(std::uint32_t step) { arranged_[output(step)] = {step, depth_of(step)}; }

void Arrangements::collect(std::uint32_t reg, std::vector<std::uint32_t>& steps) const {
  const std::uint32_t step = step_of(reg);
  if (step == kNone || taken_.contains(reg) ||
      std::find(steps.begin(), steps.end(), step) != steps.end())
    return;
  steps.push_back(step);
  const Operands& o = plan_.program().steps[step].operands;
  for (int i = 0; i < o.n_inputs; ++i) collect(o.input(i), steps);
}

std::vector<std::uint32_t> Arrangements::waiting_for(std::uint32_t step) const {
  std::vector<std::uint32_t> steps;
  const Operands& o = plan_.program().steps[step].operands;
  for (int i = 0; i < o.n_inputs; ++i) collect(o.input(i), steps);
  return steps;
}

void Arrangements::refuse(std::uint32_t reg) {
  std::vector<std::uint32_t> steps;
  collect(reg, steps);
  kernels_.insert(steps.begin(), steps.end());
}

void Arrangements::refuse_rest() {
  for (const auto& [reg, arranged] : arranged_)
    if (!taken_.contains(reg)) kernels_.insert(arranged.step);
}

}  // namespace thunkvm
