// nest_body.h: the C of a fused nest: of its body, and of the call that runs it.
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

/// Writes the call of a group's nest, with its numbers and the results that are numbers, and the
/// nest's body. The body is a function of the module, named by the nest's `index` among those of
/// the emitted code. A body with the same statements is shared. A nest that computes nothing has
/// none. `after`: the steps that are not reached if the nest fails.
EmittedNest write_nest(const Plan& plan, const Group& group, std::vector<StepRange> after,
                       std::size_t index, ModuleText& module, FunctionWriter& c);

}  // namespace thunkvm
