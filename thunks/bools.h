// bools.h: arrays of bool whose memory is not ours.
#pragma once

#include "thunks/array.h"

namespace thunkvm {

/// True if all bytes of an array of bool are 0 or 1. NumPy takes any other one for true, and native
/// code for none of them.
bool holds_bools(const Array& array);
/// A copy in which other bytes are 1.
Array with_bools(const Array& array);

}  // namespace thunkvm
