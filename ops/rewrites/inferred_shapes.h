// inferred_shapes.h: answers to what asks for lengths, that compute no element.
#pragma once

#include "ops/graph/graph.h"

namespace thunkvm {

/// The graph, in which what asks for the lengths of a value (ShapeQuery: shape, size, ...) asks
/// `Op::infer_shape` of the nodes that it comes from instead: so the value is not demanded for it.
/// A value that is computed in the same calls anyway, and a user's Op without the rule, are asked
/// themselves.
///
/// This is what asking for a shape means, so it is done in every mode, before linking. The inputs
/// are kept; nodes that are copied keep names and origins. Linear in nodes and edges; iterative.
/// Users' rules are called, once for a node: what they throw passes through.
FunctionGraph with_inferred_shapes(const FunctionGraph& graph);

}  // namespace thunkvm
