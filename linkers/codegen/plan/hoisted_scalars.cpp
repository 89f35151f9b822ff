#include "linkers/codegen/plan/hoisted_scalars.h"

#include <algorithm>
#include <span>
#include <unordered_set>

namespace thunkvm {

std::vector<std::uint32_t> hoisted_scalars(const Plan& plan, std::uint32_t first,
                                           std::uint32_t end) {
  std::vector<std::uint32_t> hoisted;
  std::unordered_set<std::uint32_t> named, late;  // registers; of values that are not hoisted
  for (std::uint32_t step = first; step < end; ++step) {
    const Operands& o = plan.program().steps[step].operands;
    const std::span inputs(o.registers, o.n_inputs);
    const std::span outputs(o.registers + o.n_inputs, o.n_outputs);
    // A register that had another value before is written where it stands.
    const bool is_hoisted =
        plan.step(step).may_come_first() && !named.contains(outputs[0]) &&
        std::ranges::none_of(inputs, [&](std::uint32_t reg) { return late.contains(reg); });
    if (is_hoisted)
      hoisted.push_back(step);
    else
      late.insert(outputs.begin(), outputs.end());
    named.insert(inputs.begin(), inputs.end());
    named.insert(outputs.begin(), outputs.end());
  }
  return hoisted;
}

}  // namespace thunkvm
