// inputs.h: inputs of the types that graphs of tests begin with.
#pragma once

#include "ops/graph/type.h"
#include "ops/graph/variable.h"

namespace thunkvm {

inline Variable real(const char* name) {
  return Variable::input(TensorType::scalar(DType::Float64), name);
}
inline Variable vector(const char* name) {
  return Variable::input(TensorType::of_ndim(DType::Float64, 1), name);
}

}  // namespace thunkvm
