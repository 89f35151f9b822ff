// indices.h: the kinds of indices that a program has.
#pragma once

#include "thunks/index.h"

namespace thunkvm {

/// An instruction, in Program::code.
using Pc = Index<struct KindOfInstruction>;
/// An eager thunk, in Program::steps.
using StepIndex = Index<struct KindOfStep>;
/// A node of the program: graphs number theirs otherwise, since leaves count there.
using ProgramNode = Index<struct KindOfNode>;

/// Steps [first, second).
using StepRange = std::pair<StepIndex, StepIndex>;

}  // namespace thunkvm
