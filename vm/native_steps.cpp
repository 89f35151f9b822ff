#include "vm/native_steps.h"

#include "vm/frame.h"
#include "vm/native.h"

#include <span>

namespace thunkvm {

void note_after(NativeCall& call, const NativeSteps& steps) {
  for (const auto& [first, end] : steps.after)
    NativeSupport::note_not_reached(*call.frame, first, end);
}

bool run_native_step(NativeCall& call, const NativeSteps& steps, std::size_t i) {
  const Step& step = steps.steps[i];
  Activation& activation = *call.activation;
  Recorder* const recorder = call.recorder;
  if (recorder != nullptr) [[unlikely]]
    recorder->begin_thunk(step.node, call.cells, step.operands);
  if (step.run(activation, step.operands) == Status::Done) [[likely]] {
    if (recorder != nullptr) [[unlikely]]
      recorder->end_thunk(step.node, call.cells, step.operands);
    if (!activation.poll || NativeSupport::poll(*call.frame)) return true;
  } else {
    NativeSupport::fail(*call.frame, step.node);
  }
  for (const StepIndex later : std::span(steps.indices).subspan(i + 1))
    if (later != kNone) NativeSupport::note_not_reached(*call.frame, later, later + 1);
  note_after(call, steps);
  return false;
}

}  // namespace thunkvm
