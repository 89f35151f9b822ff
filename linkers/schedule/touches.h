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
  StatementIndex statement{};
  std::uint16_t input = 0;  ///< of a Run, that it reads
  Kind kind = Kind::Read;
};

/// All touches of a schedule as it was, by register. Linear. A Demand sees to it that an output is
/// there, and an input block's End hands over an operand: they read.
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
