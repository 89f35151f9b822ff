#include "linkers/schedule/accesses.h"

#include <numeric>

namespace thunkvm {
namespace {

using Kind = Access::Kind;

std::vector<Access> in_order(const Schedule& schedule) {
  std::vector<Access> all;
  const auto add = [&](Kind kind, std::span<const std::uint32_t> registers) {
    for (const std::uint32_t reg : registers) all.push_back({.reg = reg, .kind = kind});
  };
  for (const Statement& s : schedule.statements)
    each_access(schedule, s, [&](const Access& access) { all.push_back(access); });
  for (const ScheduledLazy& lazy : schedule.lazies) {
    add(Kind::Read, schedule.operands_of(lazy));
    add(Kind::Write, schedule.operands_of(lazy).subspan(lazy.n_inputs));
  }
  for (const ScheduledLoop& loop : schedule.loops) {  // what a step leaves is the next one's
    add(Kind::Read, loop.states);
    add(Kind::Write, loop.states);
  }
  for (const auto* list :
       {&schedule.inputs, &schedule.shared, &schedule.outputs, &schedule.updates})
    add(Kind::Read, *list);
  for (const auto* list : {&schedule.inputs, &schedule.shared, &schedule.constants})
    add(Kind::Write, *list);
  return all;
}

}  // namespace

Accesses::Accesses(const Schedule& schedule) : first_(schedule.registers.size() + 1, 0) {
  const std::vector<Access> all = in_order(schedule);
  for (const Access& access : all) ++first_[access.reg + 1];
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  std::vector<std::uint32_t> next(first_.begin(), first_.end());
  accesses_.resize(all.size());
  for (const Access& access : all) accesses_[next[access.reg]++] = access;
}

}  // namespace thunkvm
