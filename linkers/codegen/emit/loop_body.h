// loop_body.h: the C of a fused loop's body, and what runs around it.
#pragma once

#include "linkers/codegen/emit/c_text.h"
#include "linkers/codegen/plan/plan.h"
#include "linkers/codegen/runtime/loop_nest.h"

namespace thunkvm {

inline constexpr const char* kLoopParameters =
    "(char *const *block, const tv_value *number, const tv_element_loop *call, i64 n)";

/// A loop, and its body: the statements of a C function of these parameters, so that bodies that
/// are equal but for their operands are one text.
struct EmittedLoop {
  LoopNest nest;
  CText body;
};

/// The loop of a group. `after`: the steps that are not reached if it fails.
EmittedLoop emit_loop(const Plan& plan, const Group& group, std::vector<StepRange> after);

}  // namespace thunkvm
