// value_check.h: checks of a value against its type.
#pragma once

#include "ops/graph/type.h"
#include "thunks/cell.h"

#include <string>
#include <string_view>

namespace thunkvm {

/// True if it has the dtype, the number of axes and the known lengths of the type.
bool fits(const Cell& value, const TensorType& type);
[[noreturn]] void throw_misfit(const Cell& value, const TensorType& type, const std::string& what);

/// Throws Error(Type) for another dtype, another number of axes, or an object; Error(Value) for a
/// length that is known to be another. Values of types that are no tensors pass. `what()` names the
/// value and begins the message: "argument 'x' of step".
template <class What>
void check_value(const Cell& value, const Type& type, const What& what) {
  const TensorType* const tensor = type.tensor();
  if (tensor != nullptr && !fits(value, *tensor)) throw_misfit(value, *tensor, what());
}

/// Throws Error(Value) if a length is known to be another. The number of axes is the type's.
void check_lengths(const Cell& value, const TensorType& type, std::string_view what);

}  // namespace thunkvm
