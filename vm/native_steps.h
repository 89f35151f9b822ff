// native_steps.h: thunks of a program that emitted code runs itself.
#pragma once

#include "vm/program.h"

#include <cstddef>
#include <vector>

namespace thunkvm {

struct NativeCall;

/// The steps of a program that a group of emitted code stands for, and those that are counted as
/// run but not reached if it fails.
struct NativeSteps {
  std::vector<Step> steps;         ///< their `dying` is that of the emitted order
  std::vector<StepIndex> indices;  ///< in Program::steps; kNone: another group's to account for
  std::vector<StepRange> after;    ///< not reached if the group fails
};

/// Runs one step in a call. False: it failed, which was noted, with the steps that now are not
/// reached.
bool run_native_step(NativeCall& call, const NativeSteps& steps, std::size_t i);

/// Notes that the steps after a group that failed are not reached.
void note_after(NativeCall& call, const NativeSteps& steps);

}  // namespace thunkvm
