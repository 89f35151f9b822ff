// loop_policy.h: the policies of the machine's loop: nobody looks on, a tracer, a recorder, or
// both. Each is an instantiation of it.
#pragma once

#include "vm/frame.h"

namespace thunkvm {

/// Nobody looks on: the loop costs nothing more.
struct Unobserved {
  static constexpr bool kSteps = false;    // single steps are of interest
  static constexpr bool kTraces = false;   // a tracer is told
  static constexpr bool kRecords = false;  // memo and input bodies, and branches, are noted
};

/// A tracer looks on: it is told of each thunk before and after.
struct Traced {
  static constexpr bool kSteps = true, kTraces = true, kRecords = false;
  Tracer* tracer;

  /// Runs `code` between the tracer's two calls; an exception of these is the node's failure.
  template <class Code>
  Status run(Frame& frame, Activation& activation, ProgramNode node, const Operands& operands,
             Code&& code, const LazyCall* lazy = nullptr) const {
    const ThunkRun run{frame, node, operands, lazy};
    try {
      tracer->before(run);
      const Status status = code();
      tracer->after(run, status);
      return status;
    } catch (...) {
      return activation.fail_current();
    }
  }
  void retired(ProgramNode) const {}
  void failed(ProgramNode) const {}
};

/// The frame's recorder looks on.
struct Recorded {
  static constexpr bool kSteps = true, kTraces = false, kRecords = true;
  Recorder* recorder;

  template <class Code>
  Status run(Frame&, Activation& activation, ProgramNode node, const Operands& operands,
             Code&& code, const LazyCall* = nullptr) const {
    try {
      recorder->begin_thunk(node, activation.cells, operands);
      const Status status = code();
      if (status == Status::Done) recorder->end_thunk(node, activation.cells, operands);
      return status;
    } catch (...) {
      return activation.fail_current();
    }
  }
  void retired(ProgramNode node) const { recorder->lap(node); }
  /// A lazy thunk was entered: it has computed the demanded output, or requests more inputs.
  void entered(ProgramNode node, bool computed) const {
    if (computed) return recorder->lap(node);
    recorder->pause(node);
    ++recorder->sites[node].suspended;
  }
  void failed(ProgramNode node) const {
    recorder->pause(node);
    ++recorder->sites[node].failed;
  }
};

/// Both do: the recorder's times have the tracer's in them.
struct TracedAndRecorded : Recorded {
  static constexpr bool kTraces = true;
  Tracer* tracer;

  template <class Code>
  Status run(Frame& frame, Activation& activation, ProgramNode node, const Operands& operands,
             Code&& code, const LazyCall* lazy = nullptr) const {
    return Traced{tracer}.run(
        frame, activation, node, operands,
        [&] { return Recorded::run(frame, activation, node, operands, code, lazy); }, lazy);
  }
};

/// True if a replay forces the branch; `arm` is the arm that it takes.
template <class Policy>
bool is_forced([[maybe_unused]] Policy policy, [[maybe_unused]] std::uint32_t branch,
               [[maybe_unused]] std::uint32_t& arm) {
  if constexpr (Policy::kRecords) {
    arm = policy.recorder->forced(branch);
    return arm != kNone;
  }
  return false;
}

}  // namespace thunkvm
