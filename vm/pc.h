// pc.h: the position of an instruction in Program::code.
#pragma once

#include "thunks/index.h"

namespace thunkvm {

using Pc = Index<struct KindOfInstruction>;

}  // namespace thunkvm
