// thunk.cpp: how thunks report failures, and what a BoundThunk does that was not written for what
// is asked of it.
#include "thunks/thunk.h"

namespace thunkvm {

Status Activation::fail(ErrorKind kind, const std::string& message) {
  failure.error = std::make_exception_ptr(Error(kind, message));
  return Status::Failed;
}

Status Activation::fail_current() noexcept {
  failure.error = std::current_exception();
  return Status::Failed;
}

Status BoundThunk::run(Activation& activation, const Operands&) {
  return activation.fail(ErrorKind::Runtime,
                         "this thunk was run as an eager one, but has no run(): a lazy thunk needs "
                         "ThunkCode::lazy = true, an eager one has to override BoundThunk::run");
}

Status BoundThunk::enter(LazyCall& call) {
  return call.activation().fail(
      ErrorKind::Runtime,
      "this thunk was entered as a lazy one, but has no enter(): an eager thunk needs "
      "ThunkCode::lazy = false, a lazy one has to override BoundThunk::enter");
}

Status run_bound(Activation& activation, const Operands& operands) {
  try {
    return activation.bound[operands.bound]->run(activation, operands);
  } catch (...) {
    return activation.fail_current();
  }
}

}  // namespace thunkvm
