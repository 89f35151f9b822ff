// outlined_code.h: the C function of one outlined function: expressions, branches, and calls of
// services.
#pragma once

#include "linkers/codegen/emit/emitted_code.h"
#include "linkers/codegen/emit/module_text.h"

#include <cstdint>

namespace thunkvm {

/// Adds the function of an outlined function, its nests and its calls to `module` and `out`.
void emit_outlined(const Plan& plan, std::uint32_t outlined, EmittedCode& out, ModuleText& module);

}  // namespace thunkvm
