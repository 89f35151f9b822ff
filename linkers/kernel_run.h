// kernel_run.h: one run of a user's C on arrays: its arguments, and the services for it.
#pragma once

#include "linkers/compiler/compiler.h"
#include "ops/graph/type.h"
#include "thunks/dtype.h"
#include "thunks/error.h"
#include "thunks/thunk.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace thunkvm {

struct ArrayView;
struct CallView;
/// The function that thunkvm/c/kernel_source.py makes of a `c_kernel`.
using KernelFn = int(CallView*, const ArrayView*, ArrayView*);

/// A node's C, and what is known of the node. Immutable, but for what was learned of its time.
struct UserKernel {
  struct Output {
    DType dtype;
    StaticShape shape;
    std::vector<std::uint32_t> looks_at;  ///< inputs that it may be a view of
  };

  ModulePtr module;
  KernelFn* run = nullptr;
  std::string op;
  std::vector<DType> inputs;
  std::vector<Output> outputs;
  std::vector<std::uint32_t> destroyed;  ///< inputs that are overwritten, in order
  /// Whether the host is left while it runs; none: while its inputs are large, or once a run took
  /// long.
  std::optional<bool> leaves;
  mutable std::atomic<bool> is_slow{false};
};

/// A failure that the C gave a name: the exception that the host is to raise.
class KernelFailure : public Error {
 public:
  KernelFailure(std::string exception, const std::string& message)
      : Error(ErrorKind::Runtime, message), exception_(std::move(exception)) {}
  const std::string& exception() const { return exception_; }

 private:
  std::string exception_;
};

/// Runs it as an eager thunk does. `check`, if there is one, is called once all outputs are in
/// their registers. Throws Error naming the Op where the C breaks the protocol (an output is not
/// made, or not one of its kind, or lies elsewhere than it says), or failed without saying why;
/// KernelFailure; what `check` throws. Then the inputs are in their
/// registers as they were found, or as the C left them.
void run_kernel(const UserKernel& kernel, Activation& activation, const Operands& operands,
                const std::function<void()>& check = {});

}  // namespace thunkvm
