// conjugate.h: the conjugate that gradients of complex numbers meet.
#pragma once

#include "ops/graph/functions.h"

namespace thunkvm {

/// The conjugate of a complex variable; any other one itself. (A gradient is d cost/d Re + i d
/// cost/d Im, so it meets the conjugate of the derivative.)
inline Variable conjugate(const Variable& x) {
  return is_complex(x.dtype()) ? call_op("conj", {x}) : x;
}

}  // namespace thunkvm
