#include "linkers/schedule/touches.h"

#include <numeric>

namespace thunkvm {
namespace {

using Kind = Touch::Kind;

/// Calls `f(reg, touch)` for each register that a statement itself touches, in order.
template <class F>
void each_touch(const Schedule& schedule, StatementIndex statement, F f) {
  const Statement& s = schedule.statements[statement];
  const auto touch = [&](Kind kind, std::uint32_t reg, std::uint16_t input = 0) {
    f(reg, Touch{statement, input, kind});
  };
  for (const auto& [name, kind] : operands(rule_of(s.kind).instruction)) {
    if (kind == OperandKind::Steps) {
      std::uint16_t input = 0;
      for (const std::uint32_t reg : schedule.inputs_of(s)) touch(Kind::Read, reg, input++);
      for (const std::uint32_t reg : schedule.outputs_of(s)) touch(Kind::Write, reg);
    }
    if (kind == OperandKind::Steps || kind == OperandKind::Retires)
      for (const std::uint32_t reg : schedule.dying_in(s)) touch(Kind::Empty, reg);
    if (kind == OperandKind::From || kind == OperandKind::Branch) {
      const bool moves = kind == OperandKind::From;
      const std::uint32_t from = moves ? s.from : schedule.branches[s.index].selector;
      touch(Kind::Read, from);
      if (s.takes) touch(Kind::Empty, from);
    }
    if (kind == OperandKind::To) touch(Kind::Write, s.to);
    if (kind == OperandKind::Output)
      touch(Kind::Read, schedule.outputs_of(schedule.lazies[s.index])[s.output]);
  }
  if (s.kind != Statement::Kind::End) return;
  const Block& block = schedule.blocks[s.index];
  if (block.kind == Block::Kind::Input || block.kind == Block::Kind::Guarded)
    touch(Kind::Read, schedule.operands_of(schedule.lazies[block.owner])[block.number]);
}

template <class F>
void each_touch_in_order(const Schedule& schedule, F f) {
  for (const StatementIndex i : schedule.statements.indices()) each_touch(schedule, i, f);
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
