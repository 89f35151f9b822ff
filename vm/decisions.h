// decisions.h: the arms that branches took in a call, and the arms that they are to take in
// another.
#pragma once

#include "vm/program.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace thunkvm {

/// The arm that a branch took, if it is in no loop.
struct Decision {
  std::uint32_t branch = 0, arm = 0;
};

/// An arm that a branch in a loop took so many times, one after the other.
struct ArmRun {
  std::uint32_t arm = 0;
  std::uint64_t times = 0;
};

/// The arms that a branch in a loop took, each time that it was decided in a call.
struct LoopDecisions {
  std::uint32_t branch = 0;
  std::vector<ArmRun> runs;
};

/// The arms that a branch is forced to take in a call. Those of `runs` come first. After them it
/// begins again if it repeats them, else its selector decides. Without runs the selector always
/// decides.
struct ArmScript {
  std::vector<ArmRun> runs;
  bool repeats = false;
};

/// Reads the scripts of a call.
class ScriptReader {
 public:
  /// `scripts`: by branch; a branch behind the last one has none. They stay where they are until
  /// the call has ended.
  void begin(std::span<const ArmScript> scripts) { places_.assign(scripts.begin(), scripts.end()); }
  /// The arm that a branch takes now; kNone: the one that its selector says.
  std::uint32_t next(std::uint32_t branch) {
    return branch < places_.size() ? places_[branch].next() : kNone;
  }

 private:
  struct Place {
    Place(const ArmScript& script) : script(&script) {}
    std::uint32_t next() {
      if (at == script->runs.size()) {
        if (at == 0 || !script->repeats) return kNone;
        at = 0;
      }
      const ArmRun& run = script->runs[at];
      if (++used == run.times) ++at, used = 0;
      return run.arm;
    }

    const ArmScript* script;
    std::size_t at = 0;
    std::uint64_t used = 0;
  };
  std::vector<Place> places_;
};

/// Keeps the decisions of a call.
class DecisionTally {
 public:
  /// `in_loops`: those of branches in loops too.
  DecisionTally(const Program& program, bool in_loops)
      : program_(program), in_loops_(in_loops ? program.branches.size() : 0) {}

  void took(std::uint32_t branch, std::uint32_t arm) {
    if (program_.branches[branch].loop == kNone)
      outside_.push_back({branch, arm});
    else if (!in_loops_.empty())
      took_in_loop(branch, arm);
  }
  const std::vector<Decision>& outside() const { return outside_; }
  /// Those in loops since the last `clear`.
  std::vector<LoopDecisions> take_in_loops();
  void clear();

 private:
  void took_in_loop(std::uint32_t branch, std::uint32_t arm) {
    std::vector<ArmRun>& runs = in_loops_[branch];
    if (runs.empty() || runs.back().arm != arm) runs.push_back({arm, 0});
    ++runs.back().times;
  }

  const Program& program_;
  std::vector<Decision> outside_;
  std::vector<std::vector<ArmRun>> in_loops_;  // by branch
};

}  // namespace thunkvm
