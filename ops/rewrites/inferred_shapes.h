// inferred_shapes.h: answers to nodes that ask for lengths, without computing elements.
#pragma once

#include "ops/graph/graph.h"

namespace thunkvm {

/// The graph with answers by `Op::infer_shape` in place of nodes that ask for the lengths of a
/// value (ShapeQuery: shape, size, ...). So they do not demand the value. A value that is computed
/// in the same calls anyway, and that of a user's Op without the rule, are asked themselves.
///
/// Asking for a shape means this, so it is done in every mode, before linking. The inputs are kept;
/// nodes that are copied keep names and origins. Linear in nodes and edges; iterative. Calls users'
/// rules, once for a node; their exceptions pass through.
FunctionGraph with_inferred_shapes(const FunctionGraph& graph);

}  // namespace thunkvm
