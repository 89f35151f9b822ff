// function_rows.h: rows about a function's nodes, for Python to make reports of.
#pragma once

#include "linkers/schedule/schedule.h"
#include "python/bindings/python/python.h"

namespace thunkvm {

class PythonFunction;

/// For each node that may run: (node, Op, form, where it was made, how often it ran).
PyRef node_rows(PythonFunction& function);
/// For each node that may run: (form, where in the emitted code, why it is nothing better).
PyRef node_forms(PythonFunction& function);
/// (runs of each node, by branch how often it took each arm).
PyRef node_counts(PythonFunction& function);
/// (blocks, by node the index of its block or None). A block is (kind, index of the block that it
/// is within or None, node or None, number, number of arms, decoding): for an arm the conditional
/// and which arm it is, for a memo body or an input the node. Kinds are "root", "arm", "memo",
/// "input" and "guarded", decodings "truth", "index" and "default".
PyRef list_regions(const Schedule& schedule);

}  // namespace thunkvm
