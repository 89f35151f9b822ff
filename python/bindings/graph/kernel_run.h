// kernel_run.h: one run of a user's C on arrays: its arguments, and the services for it.
#pragma once

#include "linkers/compiler/compiler.h"
#include "ops/graph/type.h"
#include "thunks/dtype.h"
#include "thunks/thunk.h"

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace thunkvm {

struct ArrayView;
struct CallView;
/// The function that thunkvm/c/kernel_source.py makes of a `c_kernel`.
using KernelFn = int(CallView*, const ArrayView*, ArrayView*);

/// The immutable data of a node's thunk.
struct UserKernel {
  struct Output {
    DType dtype;
    StaticShape shape;
    std::vector<std::uint32_t> looks_at;  ///< inputs that it may be a view of
  };

  ModulePtr module;
  KernelFn* run = nullptr;
  std::string op, location;
  const char* locations[1] = {};
  std::vector<DType> inputs;
  std::vector<Output> outputs;
  std::vector<std::uint32_t> destroyed;  ///< inputs that are overwritten, in order
  bool checks_inputs = false;            ///< see InputGuard
  std::optional<bool> leaves;            ///< what the Op says by `release_gil`
  mutable std::atomic<bool> is_slow{false};
};

/// Runs the UserKernel that is the thunk's state: eager.
Status run_user_kernel(Activation& activation, const Operands& operands);

}  // namespace thunkvm
