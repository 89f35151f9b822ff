// loop_tape.h: the values of a loop's steps, one behind the other.
#pragma once

#include "ops/graph/variable.h"

namespace thunkvm {

/// A tape that holds nothing yet, for values of a tensor type.
Variable empty_tape(const Type& value);
/// The tape with `value` as its row `step`: in the same memory where nobody else holds it and it is
/// large enough, else in twice as much. Throws Error(Value) at run time where a value has another
/// shape than those before it.
Variable append_to_tape(const Variable& tape, const Variable& step, const Variable& value);
/// The first `steps` rows of a tape.
Variable rows_of_tape(const Variable& tape, const Variable& steps);

/// Whether the node is one of these: they have no implementation but the native one.
bool is_of_tapes(const Apply& node);

}  // namespace thunkvm
