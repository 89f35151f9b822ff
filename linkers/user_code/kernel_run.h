// kernel_run.h: one run of a user's C on arrays: its arguments, and the services for it.
#pragma once

#include "linkers/user_code/user_kernel.h"
#include "thunks/error.h"
#include "thunks/thunk.h"

#include <string>
#include <utility>

namespace thunkvm {

/// A failure that the C gave a name: the exception that the host is to raise.
class KernelFailure : public Error {
 public:
  KernelFailure(std::string exception, const std::string& message)
      : Error(ErrorKind::Runtime, message), exception_(std::move(exception)) {}
  const std::string& exception() const { return exception_; }

 private:
  std::string exception_;
};

/// Runs it as an eager thunk does. Throws Error naming the Op where the C breaks the protocol (an
/// output is not made, or not one of its kind, or lies elsewhere than it says), wrote to an input
/// that it was not to, or failed without saying why; KernelFailure. Then the inputs are in their
/// registers as they were found, or as the C left them.
void run_kernel(const UserKernel& kernel, Activation& activation, const Operands& operands);

}  // namespace thunkvm
