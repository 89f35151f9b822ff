// lowering.h: from a placed graph to its schedule.
#pragma once

#include "linkers/schedule/placement.h"
#include "linkers/schedule/schedule.h"

#include <span>

namespace thunkvm {

/// The schedule of a placed graph: the root's block first, then the memo bodies and the blocks of
/// opaque nodes' inputs. Conditionals run by the branches of their leaders (joined_branches.h). It
/// has no lifetimes yet (lifetimes.h), and gets none with `retain_intermediates`. Iterative:
/// regions may nest to any depth.
Schedule lower(const FunctionGraph& function, const FlatGraph& graph, const Placement& placement,
               std::span<const Value> leaders, bool retain_intermediates);

/// The schedule without any analysis: every node is a memo body, run at the first Need, and all is
/// retired at the end. Memo bodies have no parent block: it is not known.
Schedule lower_by_need(const FunctionGraph& function, const FlatGraph& graph,
                       bool retain_intermediates);

}  // namespace thunkvm
