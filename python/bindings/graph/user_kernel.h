// user_kernel.h: Ops that users give as plain C on arrays: `c_kernel`.
#pragma once

#include "ops/graph/variable.h"
#include "python/bindings/python/python.h"
#include "thunks/thunk.h"

#include <span>

namespace thunkvm {

class PythonOp;

/// The thunk of a node whose Op gives a `c_kernel`: a function of a module without Python, that is
/// called with the arrays as they lie (thunkvm/c/kernel_source.py has its header, and makes the
/// source). Nothing where the Op gives none for this node, or where there is no compiler.
///
/// It runs with the lock of Python where that costs more to let go than to keep: while its inputs
/// are small and no call of it took long; what the Op says by `release_gil` goes before that.
/// Throws Error(Type) for a node with inputs or outputs that are no tensors, CompileError.
ThunkCode user_kernel(const PythonOp& op, const Apply& node);

/// Compiles the modules that the nodes above these roots need, side by side, and keeps them loaded
/// while it lives.
/// A source that does not compile is reported by `user_kernel` of its node.
class KernelsAhead {
 public:
  explicit KernelsAhead(std::span<const Variable> roots);

 private:
  std::vector<std::shared_ptr<const void>> modules_;
};

}  // namespace thunkvm
