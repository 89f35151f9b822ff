// array_reads.h: the C of lengths and elements of arrays as numbers, without a kernel.
#pragma once

#include "linkers/codegen/emit/function_writer.h"

#include <cstddef>
#include <cstdint>

namespace thunkvm {

/// A step that is a Length (step_form.h).
void write_length(const Plan& plan, StepIndex step, FunctionWriter& c);

/// A step that is a Pick. If there is no such element, the kernel raises the error: it is `call`
/// among the calls of the code.
void write_pick(const Plan& plan, StepIndex step, std::size_t call, FunctionWriter& c);

}  // namespace thunkvm
