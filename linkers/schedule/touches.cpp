#include "linkers/schedule/touches.h"

#include <numeric>

namespace thunkvm {
namespace {

using Kind = Touch::Kind;

template <class F>
void each_touch_in_order(const Schedule& schedule, F f) {
  for (std::uint32_t i = 0; i < schedule.statements.size(); ++i) each_touch(schedule, i, f);
  const auto touch = [&](Kind kind, std::span<const std::uint32_t> registers) {
    for (const std::uint32_t reg : registers) f(reg, Touch{.kind = kind});
  };
  for (const ScheduledLazy& lazy : schedule.lazies) {  // it reaches them wherever it is demanded
    touch(Kind::Read, schedule.operands_of(lazy));
    touch(Kind::Write, schedule.outputs_of(lazy));
  }
  for (const ScheduledLoop& loop : schedule.loops) {  // what a step leaves is the next one's
    touch(Kind::Read, loop.states);
    touch(Kind::Write, loop.states);
  }
  for (const auto* list :
       {&schedule.inputs, &schedule.shared, &schedule.outputs, &schedule.updates})
    touch(Kind::Read, *list);
  for (const auto* list : {&schedule.inputs, &schedule.shared, &schedule.constants})
    touch(Kind::Write, *list);
}

}  // namespace

Touches::Touches(const Schedule& schedule) : first_(schedule.registers.size() + 2, 0) {
  each_touch_in_order(schedule, [&](std::uint32_t reg, const Touch&) { ++first_[reg + 2]; });
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  touches_.resize(first_.back());
  // Afterwards the list of each register ends where that of the next one begins.
  each_touch_in_order(schedule, [&](std::uint32_t reg, const Touch& touch) {
    touches_[first_[reg + 1]++] = touch;
  });
}

}  // namespace thunkvm
