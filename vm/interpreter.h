// interpreter.h: the loop that runs a program.
#pragma once

#include "vm/frame.h"
#include "vm/indices.h"
#include "vm/limits.h"

namespace thunkvm {

/// Runs programs in frames; `Frame::run` is the way in. It has one loop, instantiated for each
/// policy of loop_policy.h (none, a tracer, the frame's recorder, both). The native stack does not
/// grow with the graph's depth: the frame's own stack has the bodies in progress.
///
/// Asks the host whether to stop every kThunksPerPoll thunks of a frame and after kernels that took
/// long.
class Interpreter {
 private:
  friend class Frame;
  friend class NativeSupport;
  static Status run(Frame& frame, Tracer* tracer) noexcept;

  template <class Policy>
  static Status loop(Frame& frame, Policy policy, Pc pc, std::size_t base);
  template <class Policy>
  static Status go_on(Frame& frame, Policy policy, Pc pc, std::size_t base);
  static bool raises_next(const Frame& frame, LazyState& state);
  static Status run_segment(Frame& frame, const Instruction& instruction);
  static Status run_step(Frame& frame, Cell* cells, const Instruction& instruction);
  template <class Policy>
  static Status run_polling(Frame& frame, Policy policy, const Instruction& instruction,
                            const Step* step);
  static Status go_on_after(Frame& frame, const Instruction& instruction, const Step* step,
                            Status status);
  static bool went_on(Status status, const Activation& activation);
  static void retire(const Program& program, Cell* cells, const Step& ended);
  template <class Policy>
  static Status enter(Frame& frame, Policy policy, std::uint32_t lazy, std::uint32_t output);
  template <class Policy>
  static Status compute_now(Frame& frame, Policy policy, std::uint32_t lazy, int input);
};

}  // namespace thunkvm
