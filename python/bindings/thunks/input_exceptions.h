// input_exceptions.h: the exceptions of inputs that a lazy thunk in Python is told of.
#pragma once

#include "python/bindings/python/python.h"
#include "thunks/input_failure.h"

#include <vector>

namespace thunkvm {

/// Those that one thunk was told of in this call. Needs the GIL.
class InputExceptions {
 public:
  /// The exception of computing an input, the same object each time, with the report of the node
  /// that failed as a note.
  PyRef of(LazyCall& call, int input, const Failure& failure);
  /// For the catch block of the thunk: the exception in flight fails it. One of an input's, raised
  /// again or let pass, stays the failure of the node that raised it.
  Status fail(LazyCall& call) noexcept;
  void clear() noexcept { thrown_.clear(); }

 private:
  struct Thrown {
    int input;
    Failure failure;
    PyRef exception;
  };
  std::vector<Thrown> thrown_;
};

}  // namespace thunkvm
