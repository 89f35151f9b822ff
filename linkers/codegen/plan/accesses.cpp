#include "linkers/codegen/plan/accesses.h"

#include <numeric>

namespace thunkvm {
namespace {

using Kind = Access::Kind;

std::vector<Access> in_order(const Schedule& schedule) {
  std::vector<Access> all;
  const auto add = [&](Kind kind, std::span<const std::uint32_t> registers, Access access) {
    access.kind = kind;
    for (const std::uint32_t reg : registers) {
      access.reg = reg;
      all.push_back(access);
    }
  };
  for (const Statement& s : schedule.statements) {
    const Access here{.pc = s.pc};
    if (s.kind == Statement::Kind::Run) {
      for (int i = 0; i < s.n_inputs; ++i)
        all.push_back({.reg = schedule.inputs_of(s)[static_cast<std::size_t>(i)],
                       .pc = s.pc,
                       .step = s.index,
                       .input = i});
      add(Kind::Write, schedule.outputs_of(s), {.pc = s.pc, .step = s.index});
    }
    if (s.kind == Statement::Kind::Run || s.kind == Statement::Kind::Retire)
      add(Kind::Empty, schedule.dying_in(s), here);
    const bool branches = s.kind == Statement::Kind::Branch;
    if (!branches && s.kind != Statement::Kind::Move) continue;
    const std::uint32_t& from = branches ? schedule.branches[s.index].selector : s.from;
    add(Kind::Read, {&from, 1}, here);
    add(Kind::Empty, {&from, s.takes ? 1u : 0u}, here);
    if (!branches) add(Kind::Write, {&s.to, 1}, here);
  }
  for (const ScheduledLazy& lazy : schedule.lazies) {
    add(Kind::Read, schedule.operands_of(lazy), {});
    add(Kind::Write, schedule.operands_of(lazy).subspan(lazy.n_inputs), {});
  }
  for (const auto* list :
       {&schedule.inputs, &schedule.shared, &schedule.outputs, &schedule.updates})
    add(Kind::Read, *list, {});
  for (const auto* list : {&schedule.inputs, &schedule.shared, &schedule.constants})
    add(Kind::Write, *list, {});
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
