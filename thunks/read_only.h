// read_only.h: arrays that are kept, which everybody reads and nobody writes.
#pragma once

#include "thunks/array.h"

namespace thunkvm {

/// The same elements in an array that is never exclusive and whose buffer is not writable; so are
/// all views of it. The elements live as long as it does. An array that is read-only already comes
/// back as it is. Cost: a block of the pool.
Array read_only(Array array);

}  // namespace thunkvm
