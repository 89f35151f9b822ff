#include "vm/step_tally.h"

#include "vm/limits.h"

#include <bit>

namespace thunkvm {

void LoopRecord::add(std::uint64_t steps, std::uint64_t n_runs) {
  const auto next = runs.lower_bound(steps);
  const bool known = next != runs.end() && next->first == steps;
  const bool is_between = next != runs.end() && next != runs.begin();
  if (known || (is_between && runs.size() >= kMostStepCounts))
    next->second += n_runs;
  else
    runs.emplace_hint(next, steps, n_runs);
}

void LoopRecord::merge(const LoopRecord& other) {
  for (const auto& [steps, n_runs] : other.runs) add(steps, n_runs);
  broken += other.broken;
}

StepTally::StepTally(const Program& program, bool keeps_steps)
    : program_(program),
      keeps_steps_(keeps_steps),
      running_(program.loops.size()),
      loops_(program.loops.size()),
      tested_(program.loops.empty() ? 0 : program.branches.size(), kNone),
      arms_(program.loops.empty() ? 0 : program.branches.size()) {
  for (std::uint32_t loop = 0; loop < program.loops.size(); ++loop)
    tested_[program.loops[loop].branch] = loop;
}

void StepTally::end_call() {
  for (std::size_t loop = 0; loop < running_.size(); ++loop) {
    loops_[loop].broken += running_[loop].running ? 1 : 0;
    running_[loop].running = false;
  }
}

void StepTally::begin(std::uint32_t loop, std::uint64_t now) {
  loops_[loop].broken += running_[loop].running ? 1 : 0;
  running_[loop] = {.running = true, .start = now};
}

void StepTally::took(std::uint32_t branch, std::uint32_t arm, std::uint64_t now) {
  const std::uint32_t tested = tested_[branch];
  const Branch& about = program_.branches[branch];
  Run& run = running_[about.loop];
  // A test belongs to the step that it lets begin, or would.
  const std::uint64_t step = run.steps - (tested == kNone && run.steps != 0 ? 1 : 0);
  ArmsBySteps& arms = arms_[branch];
  const std::size_t first = std::bit_width(step) * about.n_arms;
  if (arms.size() <= first) arms.resize(first + about.n_arms);
  ++arms[first + arm];
  if (tested == kNone) return;
  if (keeps_steps_ && run.steps != 0) end_step(tested, now);
  if (arm == 0) {
    loops_[tested].add(run.steps);
    run.running = false;
  } else {
    ++run.steps;
    run.start = now;
  }
}

void StepTally::end_step(std::uint32_t loop, std::uint64_t now) {
  const Run& run = running_[loop];
  const std::uint64_t step = run.steps - 1;
  if (step >= kStepsKept && !std::has_single_bit(step)) return;
  if (steps_.size() >= kMostEvents) steps_.erase(steps_.begin(), steps_.begin() + kMostEvents / 2);
  steps_.push_back({run.start, now, loop, step, call_, thread_});
}

}  // namespace thunkvm
