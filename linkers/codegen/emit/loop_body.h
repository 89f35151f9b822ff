// loop_body.h: the C of a fused loop's body, and what runs around it.
#pragma once

#include "linkers/codegen/plan/plan.h"
#include "linkers/codegen/runtime/loop_nest.h"

#include <string>

namespace thunkvm {

/// A loop, and the text of its body: the parameters and the block of a C function without its name,
/// so that bodies that are equal but for their operands are one text.
struct EmittedLoop {
  LoopNest nest;
  std::string body;
};

/// The loop of a unit. `after`: the steps that are not reached if it fails.
EmittedLoop emit_loop(const Plan& plan, const Unit& unit, std::vector<StepRange> after);

}  // namespace thunkvm
