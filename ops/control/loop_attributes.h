// loop_attributes.h: a loop's body as attributes of the Op "loop", and back.
#pragma once

#include "ops/control/loop.h"

namespace thunkvm {

/// The attributes that say all of a body; it is one of them itself.
Attributes attributes_of(const LoopBody& body);

/// The body that checked attributes say: that among them if it fits the others, else one made of
/// the graph. Throws Error(Value) for a graph that fits no loop of these attributes.
Ref<const LoopBody> body_of(const Attributes& attributes);

}  // namespace thunkvm
