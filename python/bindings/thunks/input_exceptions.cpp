#include "python/bindings/thunks/input_exceptions.h"

#include "python/bindings/python/raised.h"
#include "python/bindings/thunks/call_host.h"

namespace thunkvm {

PyRef InputExceptions::of(LazyCall& call, int input, const Failure& failure) {
  for (const Thrown& before : thrown_)
    if (before.input == input) return before.exception;
  PyRef exception = static_cast<CallHost&>(*call.activation().host).exception(failure);
  thrown_.push_back({input, failure, exception});
  return exception;
}

Status InputExceptions::fail(LazyCall& call) noexcept {
  fail_thunk(call.activation());
  if (thrown_.empty()) return Status::Failed;
  PyRef raised = exception_of(call.activation().failure);
  for (const Thrown& before : thrown_)
    if (before.exception.get() == raised.get()) call.activation().failure = before.failure;
  return Status::Failed;
}

}  // namespace thunkvm
