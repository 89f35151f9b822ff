// lowering.h: from a placed graph to its schedule.
#pragma once

#include "linkers/lifetimes.h"
#include "linkers/placement.h"
#include "linkers/schedule.h"

namespace thunkvm {

/// The statements of every region: those of the root first, then memo bodies, then the bodies of
/// opaque nodes' inputs. With `retain_intermediates` nothing is retired. Iterative: regions nest as
/// deep as they like.
Schedule lower(const FunctionGraph& function, const FlatGraph& graph, const Placement& placement,
               const Lifetimes& lifetimes, bool retain_intermediates);

/// What a linker without analysis does: every node is a memo body, run at the first Need, and all
/// is retired at the end. Within what a body runs is not known.
Schedule lower_by_need(const FunctionGraph& function, const FlatGraph& graph,
                       bool retain_intermediates);

}  // namespace thunkvm
