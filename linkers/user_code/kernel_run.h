// kernel_run.h: one run of a user's C on arrays: its arguments, and the services for it.
#pragma once

#include "linkers/user_code/user_kernel.h"
#include "thunks/error.h"
#include "thunks/thunk.h"

#include <memory>
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

/// The thunk of a kernel. Its run fails with Error naming the Op if the C breaks the protocol (an
/// output is not made, is of another kind, or lies elsewhere than it says), wrote to an input
/// without leave, or failed without a message; with KernelFailure. After a failure the inputs of an
/// eager one are in their registers as they were found, or as the C left them.
///
/// A lazy one has an input once the C forced it, by `tv_force`, which says if the input failed: the
/// C may go on with others, or return. Then the run fails as the input did. The host is not left
/// meanwhile.
ThunkCode kernel_thunk(std::shared_ptr<const UserKernel> kernel, bool is_lazy);

}  // namespace thunkvm
