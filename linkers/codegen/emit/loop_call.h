// loop_call.h: the C that runs a loop: the numbers that it is given, and what it reduces to
// numbers.
#pragma once

#include "linkers/codegen/emit/function_writer.h"
#include "linkers/codegen/runtime/loop_nest.h"

#include <string>

namespace thunkvm {

/// `index`: among the loops of the emitted code.
void write_loop_call(const Plan& plan, const LoopNest& loop, const std::string& index,
                     FunctionWriter& c);

}  // namespace thunkvm
