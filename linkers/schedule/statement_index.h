// statement_index.h: the index of a statement, in Schedule::statements.
#pragma once

#include "thunks/index.h"

namespace thunkvm {

using StatementIndex = Index<struct KindOfStatement>;

}  // namespace thunkvm
