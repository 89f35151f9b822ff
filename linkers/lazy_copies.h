// lazy_copies.h: the copies that nodes make for laziness's sake.
#pragma once

#include "linkers/linker.h"
#include "ops/graph/graph.h"

#include <cstdint>
#include <vector>

namespace thunkvm {

/// By node: of so many inputs that it overwrites a copy is for laziness's sake.
///
/// A node that overwrites an input gets a copy of it if others may still read it. That is for
/// laziness's sake if none of these is sure to run after it: they are in arms, or wait to be
/// needed, and if no call runs them, the copy was for nothing. Not so any order of the nodes would
/// need it.
IndexedVector<ProgramNode, std::uint32_t> lazy_copies(const Linked& linked,
                                                      const FunctionGraph& graph);

}  // namespace thunkvm
