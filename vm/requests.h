// requests.h: the inputs that a lazy thunk requests.
#pragma once

#include "vm/frame.h"

#include <cstdint>

namespace thunkvm {

/// Takes over what a lazy thunk requested, and refuses what it may not.
class Requests {
 private:
  friend class Interpreter;

  /// The inputs that it requested come next, in its order, each once. Fails where it requested
  /// nothing though the demanded output is not computed, an input that is available already, or
  /// one that the node does not have.
  static Status queue(Frame& frame, std::uint32_t lazy, std::uint32_t output);
  static Status refuse_input(Frame& frame, std::uint32_t lazy, std::int64_t input);
  /// The failure of a thunk that computes inputs within itself, where too many do.
  static Status refuse_nesting(Frame& frame, std::uint32_t lazy);
};

}  // namespace thunkvm
