// kernel_run.h: one run of a user's C on arrays: its arguments, and the services for it.
#pragma once

#include "linkers/user_code/user_kernel.h"
#include "thunks/demand.h"
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

/// Runs it as an eager thunk does. Throws Error naming the Op if the C breaks the protocol (an
/// output is not made, is of another kind, or lies elsewhere than it says), wrote to an input
/// without leave, or failed without a message; KernelFailure. Then the inputs are in their
/// registers as they were found, or as the C left them.
void run_kernel(const UserKernel& kernel, Activation& activation, const Operands& operands);

/// Told of when a lazy kernel's C runs on the thread, and when other code does.
class CodeWatch {
 public:
  virtual ~CodeWatch() = default;
  virtual void begin() = 0;
  virtual void end() = 0;
};

/// Runs it as the body of a lazy thunk: an input is an array once the C forced it, by `tv_force`.
/// `tv_force` says if an input failed: the C may go on with others, or return. Throws as
/// `run_kernel`, and the exception of an input if the C returned because of it. The host is not
/// left meanwhile.
void run_lazy_kernel(const UserKernel& kernel, Demand& demand, CodeWatch& watch);

}  // namespace thunkvm
