// interpreter.h: the loop that runs a program.
#pragma once

#include "vm/frame.h"
#include "vm/limits.h"

namespace thunkvm {

/// Runs programs in frames; `Frame::run` is the way in. One loop, instantiated for each way of
/// watching it (with none, with a tracer, with the frame's recorder); no native recursion on the
/// graph's depth: bodies that are needed are kept on the frame's own stack.
///
/// Asks the host whether to stop every kThunksPerPoll thunks of a frame and after kernels that took
/// long.
class Interpreter {
 public:
  /// The arm that a selector's value picks. Throws Error(Value) for NaN, for more or less than one
  /// element, for a value that is no number or, where an index is asked for, no whole one;
  /// Error(Index) out of range.
  static std::uint32_t decode(const Cell& selector, Decoding decoding, std::uint32_t n_arms);

 private:
  friend class Frame;
  friend class NativeSupport;
  static Status run(Frame& frame, Tracer* tracer) noexcept;

  template <class Watch>
  static Status loop(Frame& frame, Watch watch, std::uint32_t pc, std::size_t base);
  template <class Watch>
  static Status go_on(Frame& frame, Watch watch, std::uint32_t pc, std::size_t base);
  static bool raises_next(LazyState& state);
  static Status run_segment(Frame& frame, const Instruction& instruction);
  static Status run_step(Frame& frame, Cell* cells, const Instruction& instruction);
  template <class Watch>
  static Status run_polling(Frame& frame, Watch watch, const Instruction& instruction,
                            const Step* step);
  static Status go_on_after(Frame& frame, const Instruction& instruction, const Step* step,
                            Status status);
  static bool went_on(Status status, const Activation& activation);
  static void retire(const Program& program, Cell* cells, const Step& ended);
  template <class Watch>
  static Status enter(Frame& frame, Watch watch, std::uint32_t lazy, std::uint32_t output);
  template <class Watch>
  static Status compute_now(Frame& frame, Watch watch, std::uint32_t lazy, int input);
  static Status queue_requests(Frame& frame, std::uint32_t lazy, std::uint32_t output);
  static Status refuse_input(Frame& frame, std::uint32_t lazy, std::int64_t input);
  static Status refuse_nesting(Frame& frame, std::uint32_t lazy);
  static Status poll(Frame& frame);
  static Status stop_segment(Frame& frame, const Instruction& instruction, std::uint32_t from);
};

}  // namespace thunkvm
