// first_calls.h: the listener that is told of the first call of each function.
#pragma once

#include "python/bindings/python/python.h"

#include <cstdint>

namespace thunkvm {

/// One listener for the process, set by `watch_functions`. Each has a number; a Function remembers
/// the one that was told of it, so a call compares two numbers.
struct FirstCalls {
  static inline std::uint64_t number = 0;
  /// None: nobody is told.
  static void set(PyObject* callable);
  /// Tells the listener, if there is one, that this Function is about to be called. False: it
  /// raised.
  static bool tell(PyObject* function);
};

}  // namespace thunkvm
