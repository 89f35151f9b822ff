// user_kernel.h: the C that Python says a node's `c_kernel` is, and its thunk.
#pragma once

#include "ops/graph/variable.h"
#include "thunks/thunk.h"

#include <memory>
#include <span>

namespace thunkvm {

class PythonOp;

/// The thunk of a node whose Op gives a `c_kernel`: a function of a module without Python, that is
/// called with the arrays as they lie (thunkvm/c/kernel_source.py has its header, and makes the
/// source). Nothing where the Op gives none for this node, or where there is no compiler.
///
/// It runs with the lock of Python where that costs more to let go than to keep; what the Op says
/// by `release_gil` goes before that.
/// Throws Error(Type) for a node with inputs or outputs that are no tensors, CompileError.
ThunkCode user_kernel(const PythonOp& op, const Apply& node);

/// The modules that the nodes above these roots need, compiled side by side; they stay loaded while
/// this is held. A source that does not compile is reported by `user_kernel` of its node.
std::shared_ptr<const void> kernels_ahead(std::span<const Variable> roots);

}  // namespace thunkvm
