// interpreter.cpp: the loop. What a thunk, a branch and a Need cost is decided here; all that is
// rare is out of line.
#include "vm/interpreter.h"

#include "vm/loop_policy.h"
#include "vm/requests.h"
#include "vm/selector.h"
#include "vm/unwinding.h"

#include <cassert>

namespace thunkvm {

Status Interpreter::run(Frame& frame, Tracer* tracer) noexcept {
  Status status;
  try {
    Recorder* const recorder = frame.recorder_.get();
    if (tracer == nullptr && recorder == nullptr) [[likely]]
      status = loop(frame, Unobserved{}, Pc(0), 0);
    else if (tracer == nullptr)
      status = loop(frame, Recorded{recorder}, Pc(0), 0);
    else if (recorder == nullptr)
      status = loop(frame, Traced{tracer}, Pc(0), 0);
    else
      status = loop(frame, TracedAndRecorded{{recorder}, tracer}, Pc(0), 0);
  } catch (...) {
    status = frame.activation_.fail_current();
  }
  assert(status == Status::Failed || frame.resumes_.empty());
  return status;
}

/// Whether the input that a lazy thunk waits for next has failed already: then it is told.
inline bool Interpreter::raises_next(const Frame& frame, LazyState& state) {
  if (frame.done_[state.waiting.back()] != kFailed) [[likely]]
    return false;
  state.raising = state.waiting.back();
  state.waiting.clear();
  return true;
}

/// Empties the registers that end with a step.
inline void Interpreter::retire(const Program& program, Cell* cells, const Step& ended) {
  const std::uint32_t* index = program.retires.data() + ended.retire_first;
  for (std::uint32_t n = ended.retire_count; n != 0; --n) cells[*index++].clear();
}

/// The rest of a segment, from `step` on, where the host may have to be asked on the way.
template <class Policy>
[[gnu::noinline]] Status Interpreter::run_polling(Frame& frame, Policy policy,
                                                  const Instruction& instruction,
                                                  const Step* step) {
  const Program& program = *frame.program_;
  Activation& activation = frame.activation_;
  const Step* const first = program.steps.data();
  const Step* const end = first + instruction.a + instruction.b;
  while (step != end) {
    const Step* const pause = end - step > frame.until_poll_ ? step + frame.until_poll_ : end;
    frame.until_poll_ -= static_cast<std::int32_t>(pause - step);
    do {
      Status status;
      if constexpr (Policy::kSteps)
        status = policy.run(frame, activation, step->node, step->operands,
                            [&] { return step->run(activation, step->operands); });
      else
        status = step->run(activation, step->operands);
      if (status != Status::Done) {
        if constexpr (Policy::kSteps) policy.failed(step->node);
        // This stretch may have used up the thunks until the poll, which is the next call's now.
        if (frame.until_poll_ == 0) frame.until_poll_ = 1;
        Unwinding::fail_at(frame, step->node);
        return Unwinding::stop_segment(frame, instruction, StepIndex(step + 1 - first));
      }
      retire(program, activation.cells, *step);
      if constexpr (Policy::kSteps) policy.retired(step->node);
      ++step;
    } while (step != pause && !activation.poll);
    if (activation.poll) frame.until_poll_ = 0;
    if (frame.until_poll_ == 0 && !NativeSupport::poll(frame))
      return Unwinding::stop_segment(frame, instruction, StepIndex(step - first));
  }
  return Status::Done;
}

/// The rest of a segment after a step that failed, or after which the host is to be asked.
[[gnu::cold]] Status Interpreter::go_on_after(Frame& frame, const Instruction& instruction,
                                              const Step* step, Status status) {
  const StepIndex next(step + 1 - frame.program_->steps.data());
  if (status != Status::Done) {
    Unwinding::fail_at(frame, step->node);
    return Unwinding::stop_segment(frame, instruction, next);
  }
  retire(*frame.program_, frame.activation_.cells, *step);
  if (!NativeSupport::poll(frame)) return Unwinding::stop_segment(frame, instruction, next);
  return run_polling(frame, Unobserved{}, instruction, step + 1);
}

/// One test for the two things that may happen in a step and are not the usual.
inline bool Interpreter::went_on(Status status, const Activation& activation) {
  return (static_cast<int>(status) | static_cast<int>(activation.poll)) == 0;
}

/// A function of its own, so that its registers are not the loop's.
[[gnu::noinline]] Status Interpreter::run_segment(Frame& frame, const Instruction& instruction) {
  const Program& program = *frame.program_;
  Activation& activation = frame.activation_;
  const Step* step = program.steps.data() + instruction.a;
  const auto count = static_cast<std::int32_t>(instruction.b);
  if (count >= frame.until_poll_) [[unlikely]]
    return run_polling(frame, Unobserved{}, instruction, step);
  frame.until_poll_ -= count;
  const Step* const end = step + count;
  do {
    const Status status = step->run(activation, step->operands);
    if (!went_on(status, activation)) [[unlikely]]
      return go_on_after(frame, instruction, step, status);
    retire(program, activation.cells, *step);
  } while (++step != end);
  return Status::Done;
}

/// A segment of one step, as the arms of conditionals often are: inlined into the loop.
[[gnu::always_inline]] inline Status Interpreter::run_step(Frame& frame, Cell* cells,
                                                           const Instruction& instruction) {
  const Program& program = *frame.program_;
  const Step* const step = program.steps.data() + instruction.a;
  --frame.until_poll_;
  const Status status = step->run(frame.activation_, step->operands);
  if (!went_on(status, frame.activation_)) [[unlikely]]
    return go_on_after(frame, instruction, step, status);
  retire(program, cells, *step);
  return Status::Done;
}

/// Enters a lazy thunk. Afterwards its `waiting` names the inputs that it needs first, or the
/// output is computed.
template <class Policy>
Status Interpreter::enter(Frame& frame, Policy policy, std::uint32_t index, std::uint32_t output) {
  const Lazy& lazy = frame.program_->lazies[index];
  LazyState& state = frame.lazies_[index];
  Activation& activation = frame.activation_;
  if (state.failure.error) [[unlikely]] {
    activation.failure = state.failure;
    return Status::Failed;
  }
  if (!state.entered) {
    state.entered = true;
    if (lazy.loop == kNone) frame.entered_.push_back(index);
  }
  if ((--frame.until_poll_ <= 0 || activation.poll) && !NativeSupport::poll(frame))
    return Status::Failed;
  ++frame.counters_[lazy.counter];

  state.requested.clear();
  LazyCall call(activation, lazy.operands, frame.done_.data() + lazy.first_body,
                state.computed.data(), output, state.requested);
  struct Nesting {
    Frame& frame;
    Policy policy;
    std::uint32_t lazy;
  } nesting{frame, policy, index};
  call.compute_now = [&nesting](int input) {
    return compute_now(nesting.frame, nesting.policy, nesting.lazy, input);
  };

  Status status;
  BoundThunk& thunk = *activation.bound[lazy.operands.bound];
  const auto run = [&] {
    if (state.raising == kNone) [[likely]]
      return thunk.enter(call);
    return Unwinding::raise(frame, index, call);
  };
  if constexpr (Policy::kSteps) {
    status = policy.run(frame, activation, lazy.node, lazy.operands, run, &call);
  } else {
    try {
      status = run();
    } catch (...) {
      status = activation.fail_current();
    }
  }
  // What ends the call while an input is computed within the thunk has, whatever that made of it.
  if (status != Status::Done || activation.failure.error) [[unlikely]] {
    if constexpr (Policy::kRecords) policy.failed(lazy.node);
    return Unwinding::fail_lazy(frame, index);
  }
  if constexpr (Policy::kRecords) policy.entered(lazy.node, state.computed[output] != 0);
  if (!frame.failed_bodies_.empty()) [[unlikely]]
    frame.drop_failed();
  if (state.computed[output] != 0) return Status::Done;  // what it still requests is not needed
  if (Requests::queue(frame, index, output) != Status::Done) [[unlikely]]
    return Unwinding::fail_lazy(frame, index);
  return Status::Done;
}

template <class Policy>
Status Interpreter::compute_now(Frame& frame, Policy policy, std::uint32_t index, int input) {
  const Program& program = *frame.program_;
  const Lazy& lazy = program.lazies[index];
  Activation& activation = frame.activation_;
  const int n = lazy.operands.n_inputs;
  if (input < 0 || input >= n) return Requests::refuse_input(frame, index, input);
  const std::uint32_t body = lazy.first_body + static_cast<std::uint32_t>(input);
  if (frame.done_[body] == kComputed) return Status::Done;
  if (frame.done_[body] == kFailed) return Unwinding::fail_again(frame, body);
  if (frame.nesting_ >= kMaxNesting) return Requests::refuse_nesting(frame, index);
  ++frame.nesting_;
  Status status;
  if constexpr (Policy::kRecords) policy.recorder->pause(lazy.node);
  try {
    status = loop(frame, policy, program.bodies[body].pc, frame.resumes_.size());
  } catch (...) {
    status = activation.fail_current();
  }
  --frame.nesting_;
  if (status == Status::Done)
    frame.done_[body] = kComputed;
  else
    frame.fail_body(body);
  return status;
}

/// Runs from `pc` to the end of what was begun at `base`, past all failures that a lazy thunk deals
/// with.
template <class Policy>
Status Interpreter::loop(Frame& frame, Policy policy, Pc pc, std::size_t base) {
  while (go_on(frame, policy, pc, base) != Status::Done) {
    pc = Unwinding::wind_down(frame, base);
    if constexpr (Policy::kRecords) policy.recorder->leave_bodies(frame.resumes_.size());
    if (pc == kNone) return Status::Failed;
  }
  return Status::Done;
}

template <class Policy>
Status Interpreter::go_on(Frame& frame, [[maybe_unused]] Policy policy, Pc pc, std::size_t base) {
  const Program& program = *frame.program_;
  Activation& activation = frame.activation_;
  const NativeCode* native = frame.native_call_.code;
  if (native != nullptr && native->traced != Policy::kTraces) native = nullptr;
  const Instruction* const code = native == nullptr ? program.code.data() : native->code.data();
  Cell* const cells = activation.cells;
  std::uint64_t* const counters = frame.counters_.data();
  const Instruction* next = code + pc;

  for (;;) {
    const Instruction& instruction = *next++;
    switch (instruction.op) {
      case Opcode::Run:
        ++counters[instruction.c];
        if constexpr (Policy::kSteps) {
          if (run_polling(frame, policy, instruction, program.steps.data() + instruction.a) !=
              Status::Done)
            return Status::Failed;
        } else {
          const Status status = instruction.b == 1 && frame.until_poll_ > 1
                                    ? run_step(frame, cells, instruction)
                                    : run_segment(frame, instruction);
          if (status != Status::Done) [[unlikely]]
            return Status::Failed;
        }
        break;

      case Opcode::Branch: {
        const Branch& branch = program.branches[instruction.a];
        const Cell& selector = cells[branch.selector];
        std::uint32_t arm;
        if (is_forced(policy, instruction.a, arm)) {
          // whatever the selector is
        } else if (branch.decoding == Decoding::Truth && selector.is_scalar() &&
                   selector.dtype() == DType::Bool) [[likely]] {
          arm = selector.get<bool>() ? 1 : 0;
        } else {
          try {
            arm = decode_selector(selector, branch.decoding, branch.n_arms);
          } catch (...) {
            activation.fail_current();
            return Unwinding::fail_at(frame, branch.node);
          }
        }
        if ((instruction.flag & kTake) != 0) cells[branch.selector].clear();
        ++counters[branch.first_counter + arm];
        if constexpr (Policy::kRecords) policy.recorder->took(instruction.a, arm);
        next = code + program.targets[branch.first_target + arm];
        break;
      }

      case Opcode::Jump: next = code + instruction.a; break;

      case Opcode::Move:
        ++counters[instruction.c];
        if ((instruction.flag & kTake) != 0)
          cells[instruction.a] = std::move(cells[instruction.b]);
        else
          cells[instruction.a] = cells[instruction.b];
        break;

      case Opcode::Need:
        if (frame.done_[instruction.a] != kComputed) {
          if (frame.done_[instruction.a] == kFailed) [[unlikely]]
            return Unwinding::fail_again(frame, instruction.a);
          frame.done_[instruction.a] = kComputed;
          if (program.bodies[instruction.a].loop == kNone)
            frame.done_list_.push_back(instruction.a);
          const Pc after(next - code);
          frame.resumes_.push_back({.pc = after, .body = instruction.a});
          if constexpr (Policy::kRecords) {
            policy.recorder->call_body(after - 1);
            policy.recorder->demanded(instruction.a, after - 1);
          }
          next = code + program.bodies[instruction.a].pc;
        }
        break;

      case Opcode::Lazy: {
        LazyState& state = frame.lazies_[instruction.a];
        if (state.computed[instruction.b] == 0) {
          if (enter(frame, policy, instruction.a, instruction.b) != Status::Done) [[unlikely]]
            return Status::Failed;
          if (!state.waiting.empty()) {
            if (raises_next(frame, state)) [[unlikely]] {
              --next;
              break;
            }
            const Pc here(next - 1 - code);
            frame.resumes_.push_back({.pc = here, .body = state.waiting.back()});
            if constexpr (Policy::kRecords) policy.recorder->call_body(here);
            next = code + program.bodies[state.waiting.back()].pc;
          }
        }
        break;
      }

      case Opcode::Release: frame.release(instruction.a); break;

      case Opcode::Retire: {
        const std::uint32_t* retire = program.retires.data() + instruction.a;
        for (std::uint32_t n = instruction.b; n != 0; --n) cells[*retire++].clear();
        break;
      }

      case Opcode::Native: {
        const std::uint32_t at =
            native->functions[instruction.a](&frame.native_call_, instruction.b);
        if (at == kNone) [[unlikely]]
          return Status::Failed;
        next = code + at;
        frame.until_poll_ -= static_cast<std::int32_t>(instruction.c);
        if ((frame.until_poll_ <= 0 || activation.poll) && !NativeSupport::poll(frame)) [[unlikely]]
          return Status::Failed;
        break;
      }

      case Opcode::Loop: {
        const std::uint32_t body = program.loops[instruction.a].body;
        const Pc after(next - code);
        ++counters[instruction.b];
        frame.resumes_.push_back({.pc = after, .body = body});
        if constexpr (Policy::kRecords) policy.recorder->call_body(after - 1);
        frame.begin_loop(instruction.a);
        next = code + program.bodies[body].pc;
        break;
      }
      case Opcode::Again:
        ++counters[instruction.b];
        if ((--frame.until_poll_ <= 0 || activation.poll) && !NativeSupport::poll(frame))
          return Status::Failed;
        frame.reset_step(instruction.a);
        next = code + program.bodies[program.loops[instruction.a].body].pc;
        break;

      case Opcode::Return: {
        if (frame.resumes_.size() == base) return Status::Done;  // of a nested loop
        Resume& resume = frame.resumes_.back();
        next = code + resume.pc;
        if (const Body& body = program.bodies[resume.body]; body.kind == Body::Kind::Input) {
          LazyState& state = frame.lazies_[body.owner];
          frame.done_[resume.body] = kComputed;
          state.waiting.pop_back();
          if (!state.waiting.empty() && !raises_next(frame, state)) {
            resume.body = state.waiting.back();  // the thunk is entered when it has all
            next = code + program.bodies[resume.body].pc;
            break;
          }
        } else if (body.kind == Body::Kind::Loop) {
          frame.reset_step(body.number);
        }
        frame.resumes_.pop_back();
        if constexpr (Policy::kRecords) policy.recorder->return_from_body();
        break;
      }

      case Opcode::Halt: return Status::Done;
    }
  }
}

}  // namespace thunkvm
