// requests.h: the inputs that a lazy thunk requests.
#pragma once

#include "vm/frame.h"

#include <cstdint>

namespace thunkvm {

/// Takes over the requests of a lazy thunk, and refuses those that it may not make.
class Requests {
 private:
  friend class Interpreter;

  /// Queues the inputs that it requested, in its order, each once. Fails if it requested nothing
  /// though the demanded output is not computed, an input that is available already, or an input
  /// that the node does not have.
  static Status queue(Frame& frame, std::uint32_t lazy, std::uint32_t output);
  static Status refuse_input(Frame& frame, std::uint32_t lazy, std::int64_t input);
  /// The failure of a thunk that computes an input within itself, if thunks nest too deep.
  static Status refuse_nesting(Frame& frame, std::uint32_t lazy);
};

}  // namespace thunkvm
