// lowering.h: from a placed graph to a program.
#pragma once

#include "linkers/assembler.h"
#include "linkers/lifetimes.h"
#include "linkers/placement.h"

namespace thunkvm {

/// Emits the statements of every region: those of the root first, then memo bodies, then the bodies
/// of opaque nodes' inputs. With `keep` nothing is retired. Iterative: regions nest as deep as they
/// like.
void lower(const FlatGraph& graph, Placement& placement, const Lifetimes& lifetimes, bool keep,
           Assembler& assembler);

/// What a linker without analysis does: every node is a memo body, run at the first Need, and all
/// is retired at the end.
void lower_by_need(const FlatGraph& graph, bool keep, Assembler& assembler);

}  // namespace thunkvm
