// step_tally.h: the records of a program's loops: the steps of each run, the arms that branches
// took by step, and some steps one by one.
#pragma once

#include "vm/program.h"

#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace thunkvm {

/// How the runs of one loop went.
struct LoopRecord {
  /// By number of steps, the number of runs that took so many. If there are too many numbers, those
  /// between two others count as the next larger one.
  std::map<std::uint64_t, std::uint64_t> runs;
  std::uint64_t broken = 0;  ///< runs that failed

  void add(std::uint64_t steps, std::uint64_t n_runs = 1);
  void merge(const LoopRecord& other);
};

/// How often a branch in a loop took each arm, by class of step: all arms of class 0, then of class
/// 1. Class 0 is step 0, class k > 0 the steps from 2**(k - 1) to 2**k - 1.
using ArmsBySteps = std::vector<std::uint64_t>;

/// A step by itself.
struct StepRecord {
  std::uint64_t start = 0, end = 0;  ///< ticks
  std::uint32_t loop = 0;
  std::uint64_t step = 0;
  std::uint64_t call = 0;  ///< when its call began
  std::uint64_t thread = 0;
};

/// The records of one frame's loops. Used by one thread at a time.
class StepTally {
 public:
  /// `keeps_steps`: the first kStepsKept steps of a run are kept one by one, and later ones whose
  /// number is a power of two.
  StepTally(const Program& program, bool keeps_steps);

  void begin_call(std::uint64_t start, std::uint64_t thread) { call_ = start, thread_ = thread; }
  /// Notes that the loops that still run have failed.
  void end_call();
  /// A loop begins: its first test comes next.
  void begin(std::uint32_t loop, std::uint64_t now);
  /// A branch takes an arm, in a step of a loop or as its test. `now`: when the last lap ended.
  void took(std::uint32_t branch, std::uint32_t arm, std::uint64_t now);

  std::span<const LoopRecord> loops() const { return loops_; }
  std::span<const ArmsBySteps> arms() const { return arms_; }
  std::span<const StepRecord> steps() const { return steps_; }

 private:
  /// The run of a loop that has not ended.
  struct Run {
    bool running = false;
    std::uint64_t steps = 0;  ///< that have begun
    std::uint64_t start = 0;  ///< of the last one
  };

  void end_step(std::uint32_t loop, std::uint64_t now);

  const Program& program_;
  const bool keeps_steps_;
  std::vector<Run> running_;           // by loop
  std::vector<LoopRecord> loops_;      // by loop
  std::vector<std::uint32_t> tested_;  // by branch: the loop whose test it is
  std::vector<ArmsBySteps> arms_;      // by branch
  std::vector<StepRecord> steps_;
  std::uint64_t call_ = 0, thread_ = 0;
};

}  // namespace thunkvm
