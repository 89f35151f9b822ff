// native.cpp: the machine's part of running emitted code.
#include "vm/native.h"

#include "vm/interpreter.h"
#include "vm/loop_policy.h"
#include "vm/unwinding.h"

namespace thunkvm {

bool NativeSupport::begin_memo(Frame& frame, std::uint32_t memo) {
  if (frame.done_[memo] == kFailed) return Unwinding::fail_again(frame, memo) == Status::Done;
  frame.done_[memo] = kComputed;
  if (frame.program_->bodies[memo].loop == kNone) frame.done_list_.push_back(memo);
  return true;
}

bool NativeSupport::poll_after(Frame& frame, std::uint32_t steps) {
  frame.until_poll_ -= static_cast<std::int32_t>(steps);
  return (frame.until_poll_ > 0 && !frame.activation_.poll) || poll(frame);
}

void NativeSupport::begin_loop(Frame& frame, std::uint32_t loop) { frame.begin_loop(loop); }

void NativeSupport::fail_memo(Frame& frame, std::uint32_t memo) { frame.fail_body(memo); }

void NativeSupport::fail(Frame& frame, ProgramNode node) {
  if (frame.recorder() != nullptr) Recorded{frame.recorder()}.failed(node);
  Unwinding::fail_at(frame, node);
}

void NativeSupport::note_not_reached(Frame& frame, StepIndex first, StepIndex end) {
  if (first != end) ++frame.not_reached_[{first, end}];
}

// False: the tracer objects.
bool NativeSupport::tell(Frame& frame, StepIndex index, void (*tell)(Tracer&, const ThunkRun&)) {
  const Step& step = frame.program_->steps[index];
  try {
    tell(*frame.tracer_, {frame, step.node, step.operands, nullptr});
    return true;
  } catch (...) {
    frame.activation_.fail_current();
  }
  Unwinding::fail_at(frame, step.node);
  return false;
}

bool NativeSupport::before(Frame& frame, StepIndex step) {
  return tell(frame, step, [](Tracer& tracer, const ThunkRun& run) { tracer.before(run); });
}

bool NativeSupport::after(Frame& frame, StepIndex step) {
  return tell(frame, step,
              [](Tracer& tracer, const ThunkRun& run) { tracer.after(run, Status::Done); });
}

[[gnu::cold]] bool NativeSupport::poll(Frame& frame) {
  Activation& activation = frame.activation_;
  frame.until_poll_ = kThunksPerPoll;
  activation.poll = false;
  try {
    if (!activation.host->interrupted()) return true;
    activation.fail(ErrorKind::Interrupted, "the call was interrupted");
  } catch (...) {
    activation.fail_current();
  }
  return false;
}

}  // namespace thunkvm
