// accesses.h: who touches each register, and how.
#pragma once

#include "linkers/schedule/schedule.h"

#include <cstdint>
#include <span>
#include <vector>

namespace thunkvm {

struct Access {
  enum class Kind : std::uint8_t { Read, Write, Empty };
  std::uint32_t reg = 0;
  Kind kind = Kind::Read;
  std::uint32_t pc = kNone;    ///< of the statement; kNone: a lazy thunk, or who calls the program
  std::uint32_t step = kNone;  ///< that it runs
  int input = -1;              ///< of the step, that is read
};

/// The accesses of a schedule. Linear.
class Accesses {
 public:
  explicit Accesses(const Schedule& schedule);

  /// Those to a register, in the order of the schedule.
  std::span<const Access> of(std::uint32_t reg) const {
    return std::span(accesses_).subspan(first_[reg], first_[reg + 1] - first_[reg]);
  }

 private:
  std::vector<Access> accesses_;
  std::vector<std::uint32_t> first_;  // by register
};

}  // namespace thunkvm
