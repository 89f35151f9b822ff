// prelude.h: the start of every emitted module: the types of its code, and the table of services
// that it may call (vm/native_services.h). An emitted module includes no header.
#pragma once

#include "thunks/dtype.h"

#include <string>

namespace thunkvm {

extern const char* const kPrelude;

/// The name of the second word of a scalar cell of this dtype in emitted code: "TV_F64".
std::string cell_meta_name(DType dtype);

}  // namespace thunkvm
