// interpreter.h: the loop that runs a program.
#pragma once

#include "vm/frame.h"

namespace thunkvm {

/// Runs programs in frames. One loop, instantiated with and without a tracer; no native recursion on the graph's depth:
/// bodies that are needed are kept on the frame's own stack.
///
/// Asks the host whether to stop about every 1,024 thunks and after kernels that took long.
class Interpreter {
 public:
  static Status run(Frame& frame, Host& host, Tracer* tracer = nullptr);

  /// The arm that a selector's value picks. Throws Error(Value) for NaN, more than one element or a value that is no
  /// number, Error(Index) out of range.
  static std::uint32_t decode(const Cell& selector, Decoding decoding, std::uint32_t n_arms);

 private:
  template <bool kTracing>
  static Status loop(Frame& frame, Host& host, Tracer* tracer, std::uint32_t pc, std::size_t base);
};

}  // namespace thunkvm
