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
  std::uint32_t pc = kNone;  ///< of the statement; kNone: a lazy thunk, another step of a loop, or
                             ///< who calls the program
  std::uint32_t step = kNone;  ///< that it runs
  int input = -1;              ///< of the step, that is read
};

/// Calls `f(access)` for each access of a statement itself, in order. Lazy thunks reach their
/// operands from wherever they are demanded.
template <class F>
void each_access(const Schedule& schedule, const Statement& s, F f) {
  const auto at = [&](Access::Kind kind, std::uint32_t reg) {
    const bool run = s.kind == Statement::Kind::Run && kind != Access::Kind::Empty;
    return Access{reg, kind, s.pc, run ? s.index : kNone};
  };
  if (s.kind == Statement::Kind::Run) {
    int input = 0;
    for (const std::uint32_t reg : schedule.inputs_of(s)) {
      Access access = at(Access::Kind::Read, reg);
      access.input = input++;
      f(access);
    }
    for (const std::uint32_t reg : schedule.outputs_of(s)) f(at(Access::Kind::Write, reg));
  }
  if (s.kind == Statement::Kind::Run || s.kind == Statement::Kind::Retire)
    for (const std::uint32_t reg : schedule.dying_in(s)) f(at(Access::Kind::Empty, reg));
  const bool branches = s.kind == Statement::Kind::Branch;
  if (!branches && s.kind != Statement::Kind::Move) return;
  const std::uint32_t from = branches ? schedule.branches[s.index].selector : s.from;
  f(at(Access::Kind::Read, from));
  if (s.takes) f(at(Access::Kind::Empty, from));
  if (!branches) f(at(Access::Kind::Write, s.to));
}

/// All accesses of a schedule, by register. Linear.
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
