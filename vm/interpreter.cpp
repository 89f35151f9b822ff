// interpreter.cpp: the loop. What a thunk, a branch and a Need cost is decided here; all that is
// rare is out of line.
#include "vm/interpreter.h"

#include <algorithm>
#include <cassert>
#include <string>

namespace thunkvm {

namespace {

/// Runs `code` for a node between the tracer's two calls; what either throws is the node's failure.
template <class Code>
Status traced(Frame& frame, Activation& activation, Tracer* tracer, std::uint32_t node,
              Code&& code) {
  try {
    tracer->before(node, frame);
    const Status status = code();
    tracer->after(node, frame, status);
    return status;
  } catch (...) {
    return activation.fail_current();
  }
}

/// "the lazy thunk of pick.3", for messages.
std::string lazy_thunk(const Program& program, const Lazy& lazy) {
  std::string text = "the lazy thunk";
  if (program.text != nullptr && lazy.node != kNone) text += " of " + program.text->node(lazy.node);
  return text;
}

Status out_of_range(const Program& program, const Lazy& lazy, Activation& activation,
                    std::int64_t input) {
  const int n = lazy.operands.n_inputs;
  return activation.fail(
      ErrorKind::Index,
      lazy_thunk(program, lazy) + " asked for input " + std::to_string(input) + ", but it has " +
          std::to_string(n) + " input" + (n == 1 ? "" : "s") +
          (n == 0 ? "" : ": it may ask for an index from 0 to " + std::to_string(n - 1)));
}

}  // namespace

Status Interpreter::run(Frame& frame, Tracer* tracer) noexcept {
  Status status;
  try {
    status =
        tracer == nullptr ? loop<false>(frame, nullptr, 0, 0) : loop<true>(frame, tracer, 0, 0);
  } catch (...) {
    status = frame.activation_.fail_current();
  }
  assert(status == Status::Failed || frame.resumes_.empty());
  return status;
}

/// Names the node in the failure, unless the failure is another node's that this one has asked for.
[[gnu::cold]] Status Interpreter::fail_at(Frame& frame, std::uint32_t node) {
  Failure& failure = frame.activation_.failure;
  if (!failure.error)
    frame.activation_.fail(
        ErrorKind::Runtime,
        "the thunk failed without an error: use Activation::fail or Activation::fail_current");
  if (failure.node == kNone) failure.node = node;
  return Status::Failed;
}

[[gnu::cold]] Status Interpreter::poll(Frame& frame) {
  Activation& activation = frame.activation_;
  frame.until_poll_ = kThunksPerPoll;
  activation.poll = false;
  try {
    if (!activation.host->interrupted()) return Status::Done;
  } catch (...) {
    return activation.fail_current();
  }
  return activation.fail(ErrorKind::Interrupted, "the call was interrupted");
}

/// Ends a call at a segment whose steps from `from` on were counted and did not run.
[[gnu::cold]] Status Interpreter::stop_segment(Frame& frame, const Instruction& instruction,
                                               std::uint32_t from) {
  const std::uint32_t end = instruction.a + instruction.b;
  if (from != end) ++frame.not_reached_[{from, end}];
  return Status::Failed;
}

template <bool kTracing>
inline Status Interpreter::run_segment(Frame& frame, Tracer* tracer,
                                       const Instruction& instruction) {
  const Program& program = *frame.program_;
  Activation& activation = frame.activation_;
  Cell* const cells = activation.cells;
  const Step* const first = program.steps.data();
  const Step* step = first + instruction.a;
  const Step* const end = step + instruction.b;
  const auto retire = [&](const Step& ended) {
    const std::uint32_t* index = program.retires.data() + ended.retire_first;
    for (std::uint32_t n = ended.retire_count; n != 0; --n) cells[*index++].clear();
  };

  for (;;) {
    const Step* const pause = end - step > frame.until_poll_ ? step + frame.until_poll_ : end;
    frame.until_poll_ -= static_cast<std::int32_t>(pause - step);
    do {
      Status status;
      if constexpr (kTracing)
        status = traced(frame, activation, tracer, step->node,
                        [&] { return step->run(activation, step->operands); });
      else
        status = step->run(activation, step->operands);
      // One test for the two things that may have happened.
      if ((static_cast<int>(status) | static_cast<int>(activation.poll)) != 0) [[unlikely]] {
        if (status != Status::Done) {
          // This stretch may have used up the thunks until the poll, which is the next call's now.
          if (frame.until_poll_ == 0) frame.until_poll_ = 1;
          fail_at(frame, step->node);
          return stop_segment(frame, instruction, static_cast<std::uint32_t>(step + 1 - first));
        }
        retire(*step++);
        frame.until_poll_ = 0;
        break;
      }
      retire(*step++);
    } while (step != pause);
    if (frame.until_poll_ == 0 && poll(frame) != Status::Done) [[unlikely]]
      return stop_segment(frame, instruction, static_cast<std::uint32_t>(step - first));
    if (step == end) return Status::Done;
  }
}

/// Reads what a lazy thunk asks for, and queues it. The demanded output is not computed.
Status Interpreter::queue_wanted(Frame& frame, std::uint32_t index, std::uint32_t output) {
  const Lazy& lazy = frame.program_->lazies[index];
  LazyState& state = frame.lazies_[index];
  Activation& activation = frame.activation_;
  const std::int64_t n = lazy.operands.n_inputs;
  if (state.wanted.empty())
    return activation.fail(
        ErrorKind::Runtime,
        lazy_thunk(*frame.program_, lazy) + " finished without the demanded output " +
            std::to_string(output) +
            ": it has to compute it, or to return the inputs that it needs for it");
  for (const std::int64_t input : state.wanted) {
    if (input < 0 || input >= n) return out_of_range(*frame.program_, lazy, activation, input);
    if (state.got[input] != 0)
      return activation.fail(ErrorKind::Runtime,
                             lazy_thunk(*frame.program_, lazy) + " asked again for input " +
                                 std::to_string(input) +
                                 ", which it got: it has to use it, or to ask for another one");
  }
  // The next one is the last of `waiting`: at a Return it is popped.
  for (auto input = state.wanted.rbegin(); input != state.wanted.rend(); ++input)
    state.waiting.push_back(static_cast<std::uint32_t>(*input));
  // An input that stands in the list twice is computed once, where it stands first: the latest in
  // `waiting`.
  if (state.waiting.size() > 1) {
    std::vector<bool> seen(static_cast<std::size_t>(n));
    const auto repeated = [&](std::uint32_t input) {
      const bool again = seen[input];
      seen[input] = true;
      return again;
    };
    auto kept = state.waiting.end();
    for (auto input = state.waiting.end(); input != state.waiting.begin();)
      if (!repeated(*--input)) *--kept = *input;
    state.waiting.erase(state.waiting.begin(), kept);
  }
  return Status::Done;
}

/// Enters a lazy thunk. Afterwards its `waiting` names the inputs that it needs first, or the
/// output is computed.
template <bool kTracing>
Status Interpreter::enter(Frame& frame, Tracer* tracer, std::uint32_t index, std::uint32_t output) {
  const Lazy& lazy = frame.program_->lazies[index];
  LazyState& state = frame.lazies_[index];
  Activation& activation = frame.activation_;
  if (!state.entered) {
    state.entered = true;
    frame.entered_.push_back(index);
  }
  if ((--frame.until_poll_ <= 0 || activation.poll) && poll(frame) != Status::Done)
    return Status::Failed;
  ++frame.counters_[lazy.counter];

  state.wanted.clear();
  LazyCall call(activation, lazy.operands, state.got.data(), state.computed.data(), output,
                state.wanted);
  struct Nesting {
    Frame& frame;
    Tracer* tracer;
    std::uint32_t lazy;
  } nesting{frame, tracer, index};
  call.compute_now = [&nesting](int input) {
    return compute_now<kTracing>(nesting.frame, nesting.tracer, nesting.lazy, input);
  };

  Status status;
  BoundThunk& thunk = *activation.bound[lazy.operands.bound];
  if constexpr (kTracing) {
    status = traced(frame, activation, tracer, lazy.node, [&] { return thunk.enter(call); });
  } else {
    try {
      status = thunk.enter(call);
    } catch (...) {
      status = activation.fail_current();
    }
  }
  // A nested input that failed has failed the call, whatever the thunk made of it.
  if (status != Status::Done || activation.failure.error) [[unlikely]]
    return fail_at(frame, lazy.node);
  if (state.computed[output] != 0) return Status::Done;  // what it still asks for is not needed
  if (queue_wanted(frame, index, output) != Status::Done) [[unlikely]]
    return fail_at(frame, lazy.node);
  return Status::Done;
}

template <bool kTracing>
Status Interpreter::compute_now(Frame& frame, Tracer* tracer, std::uint32_t index, int input) {
  const Program& program = *frame.program_;
  const Lazy& lazy = program.lazies[index];
  LazyState& state = frame.lazies_[index];
  Activation& activation = frame.activation_;
  const int n = lazy.operands.n_inputs;
  if (input < 0 || input >= n) return out_of_range(program, lazy, activation, input);
  if (state.got[input] != 0) return Status::Done;
  if (frame.nesting_ >= kMaxNesting)
    return activation.fail(ErrorKind::Runtime,
                           lazy_thunk(program, lazy) + " cannot go on: more than " +
                               std::to_string(kMaxNesting) +
                               " lazy thunks wait for each other on the native stack; use "
                               "ForceBy::Fiber, which keeps them off it");
  ++frame.nesting_;
  Status status;
  try {
    status = loop<kTracing>(frame, tracer, lazy.input_pcs[input], frame.resumes_.size());
  } catch (...) {
    status = activation.fail_current();
  }
  --frame.nesting_;
  if (status == Status::Done) state.got[input] = 1;
  return status;
}

template <bool kTracing>
Status Interpreter::loop(Frame& frame, Tracer* tracer, std::uint32_t pc, std::size_t base) {
  const Program& program = *frame.program_;
  Activation& activation = frame.activation_;
  [[maybe_unused]] const NativeCode* const native = kTracing ? nullptr : frame.native_call_.code;
  const Instruction* const code = native == nullptr ? program.code.data() : native->code.data();
  Cell* const cells = activation.cells;
  std::uint64_t* const counters = frame.counters_.data();

  for (;;) {
    const Instruction& instruction = code[pc];
    switch (instruction.op) {
      case Opcode::Run:
        ++counters[instruction.c];
        if (run_segment<kTracing>(frame, tracer, instruction) != Status::Done) [[unlikely]]
          return Status::Failed;
        ++pc;
        break;

      case Opcode::Branch: {
        const Branch& branch = program.branches[instruction.a];
        const Cell& selector = cells[branch.selector];
        std::uint32_t arm;
        if (branch.decoding == Decoding::Truth && selector.is_scalar() &&
            selector.dtype() == DType::Bool) [[likely]] {
          arm = selector.get<bool>() ? 1 : 0;
        } else {
          try {
            arm = decode(selector, branch.decoding, branch.n_arms);
          } catch (...) {
            activation.fail_current();
            return fail_at(frame, branch.node);
          }
        }
        if ((instruction.flag & kTake) != 0) cells[branch.selector].clear();
        ++counters[branch.first_counter + arm];
        if constexpr (kTracing) tracer->branched(instruction.a, arm, frame);
        pc = program.targets[branch.first_target + arm];
        break;
      }

      case Opcode::Jump: pc = instruction.a; break;

      case Opcode::Move:
        ++counters[instruction.c];
        if ((instruction.flag & kTake) != 0)
          cells[instruction.a] = std::move(cells[instruction.b]);
        else
          cells[instruction.a] = cells[instruction.b];
        ++pc;
        break;

      case Opcode::Need:
        ++pc;
        if (frame.done_[instruction.a] == 0) {
          frame.done_[instruction.a] = 1;
          frame.done_list_.push_back(instruction.a);
          frame.resumes_.push_back({pc, kNone});
          pc = program.memos[instruction.a].pc;
        }
        break;

      case Opcode::Lazy: {
        LazyState& state = frame.lazies_[instruction.a];
        if (state.computed[instruction.b] == 0) {
          if (enter<kTracing>(frame, tracer, instruction.a, instruction.b) != Status::Done)
              [[unlikely]]
            return Status::Failed;
          if (!state.waiting.empty()) {
            frame.resumes_.push_back({pc, instruction.a});
            pc = program.lazies[instruction.a].input_pcs[state.waiting.back()];
            break;
          }
        }
        ++pc;
        break;
      }

      case Opcode::Retire: {
        const std::uint32_t* retire = program.retires.data() + instruction.a;
        for (std::uint32_t n = instruction.b; n != 0; --n) cells[*retire++].clear();
        ++pc;
        break;
      }

      case Opcode::Native:
        if constexpr (!kTracing) {
          pc = native->functions[instruction.a](&frame.native_call_, instruction.b);
          if (pc == kNone) [[unlikely]]
            return Status::Failed;
          frame.until_poll_ -= static_cast<std::int32_t>(instruction.c);
          if ((frame.until_poll_ <= 0 || activation.poll) && poll(frame) != Status::Done)
              [[unlikely]]
            return Status::Failed;
        }
        break;

      case Opcode::Return: {
        if (frame.resumes_.size() == base) return Status::Done;  // of a nested loop
        const Resume resume = frame.resumes_.back();
        pc = resume.pc;
        if (resume.lazy != kNone) {
          LazyState& state = frame.lazies_[resume.lazy];
          state.got[state.waiting.back()] = 1;
          state.waiting.pop_back();
          if (!state.waiting.empty()) {
            pc = program.lazies[resume.lazy].input_pcs[state.waiting.back()];
            break;  // the same Resume waits for the next one
          }
        }
        frame.resumes_.pop_back();
        break;
      }

      case Opcode::Halt: return Status::Done;
    }
  }
}

void NativeSupport::begin_memo(Frame& frame, std::uint32_t memo) {
  frame.done_[memo] = 1;
  frame.done_list_.push_back(memo);
}

void NativeSupport::fail(Frame& frame, std::uint32_t node) { Interpreter::fail_at(frame, node); }

void NativeSupport::note_not_reached(Frame& frame, std::uint32_t first, std::uint32_t end) {
  if (first != end) ++frame.not_reached_[{first, end}];
}

bool NativeSupport::poll(Frame& frame) { return Interpreter::poll(frame) == Status::Done; }

}  // namespace thunkvm
