// touches.h: the statements that touch each register, and how they do.
#pragma once

#include "linkers/schedule/schedule.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace thunkvm {

struct Touch {
  enum class Kind : std::uint8_t { Read, Write, Empty };
  /// kNone: a lazy thunk, another step of a loop, or who calls the program.
  std::uint32_t statement = kNone;
  std::uint16_t input = 0;  ///< of a Run, that it reads
  Kind kind = Kind::Read;
};

/// Calls `f(reg, touch)` for each register that a statement itself touches, in order. A Demand sees
/// to it that an output is there, and an input block's End hands over an operand: they read.
template <class F>
void each_touch(const Schedule& schedule, std::uint32_t statement, F f) {
  using Kind = Statement::Kind;
  const Statement& s = schedule.statements[statement];
  const auto touch = [&](Touch::Kind kind, std::uint32_t reg, std::uint16_t input = 0) {
    f(reg, Touch{statement, input, kind});
  };
  if (s.kind == Kind::Run) {
    std::uint16_t input = 0;
    for (const std::uint32_t reg : schedule.inputs_of(s)) touch(Touch::Kind::Read, reg, input++);
  }
  if (s.kind == Kind::Branch || s.kind == Kind::Move) {
    const std::uint32_t from = s.kind == Kind::Move ? s.from : schedule.branches[s.index].selector;
    touch(Touch::Kind::Read, from);
    if (s.takes) touch(Touch::Kind::Empty, from);
  }
  for (const std::uint32_t reg : schedule.written_by(s)) touch(Touch::Kind::Write, reg);
  if (s.kind == Kind::Run || s.kind == Kind::Retire)
    for (const std::uint32_t reg : schedule.dying_in(s)) touch(Touch::Kind::Empty, reg);
  if (s.kind == Kind::Demand)
    touch(Touch::Kind::Read, schedule.outputs_of(schedule.lazies[s.index])[s.output]);
  if (s.kind != Kind::End) return;
  const Block& block = schedule.blocks[s.index];
  if (block.kind == Block::Kind::Input || block.kind == Block::Kind::Guarded)
    touch(Touch::Kind::Read, schedule.operands_of(schedule.lazies[block.owner])[block.number]);
}

/// All touches of a schedule as it was, by register. Linear.
class Touches {
 public:
  explicit Touches(const Schedule& schedule);

  /// Those of a register, in the order of the schedule; behind them those by no statement.
  std::span<const Touch> of(std::uint32_t reg) const {
    return std::span(touches_).subspan(first_[reg], first_[reg + 1] - first_[reg]);
  }
  std::span<const Touch> by_statements(std::uint32_t reg) const {
    const std::span<const Touch> all = of(reg);
    return {all.begin(), std::ranges::lower_bound(all, kNone, {}, &Touch::statement)};
  }

 private:
  std::vector<Touch> touches_;
  std::vector<std::uint32_t> first_;  // by register
};

}  // namespace thunkvm
