// nest_body.h: the C of a fused nest: of its body, and of what has it run.
#pragma once

#include "linkers/codegen/emit/function_writer.h"
#include "linkers/codegen/emit/module_text.h"
#include "linkers/codegen/plan/plan.h"
#include "linkers/codegen/runtime/fused_nest.h"

#include <string>
#include <vector>

namespace thunkvm {

struct EmittedNest {
  FusedNest fused;
  std::string body;  ///< the name of the function that computes its blocks
};

/// Has the nest of a group run, with the numbers that it is given, and what it reduces to numbers.
/// Its body is a function of the module, called by its `index` among the nests of the emitted code
/// unless there is one with the same statements, which bodies have that are equal but for their
/// operands; none where the nest computes nothing. `after`: the steps that are not reached if it
/// fails.
EmittedNest write_nest(const Plan& plan, const Group& group, std::vector<StepRange> after,
                       std::size_t index, ModuleText& module, FunctionWriter& c);

}  // namespace thunkvm
