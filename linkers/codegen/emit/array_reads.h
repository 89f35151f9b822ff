// array_reads.h: the C of numbers that are read from arrays where they are: lengths, and elements.
#pragma once

#include "linkers/codegen/emit/function_writer.h"

#include <cstddef>
#include <cstdint>

namespace thunkvm {

/// A step that is a Length (step_form.h).
void write_length(const Plan& plan, std::uint32_t step, FunctionWriter& c);

/// A step that is a Pick. Where there is no such element, it is the kernel that says so: `call`, of
/// those that the code may run.
void write_pick(const Plan& plan, std::uint32_t step, std::size_t call, FunctionWriter& c);

}  // namespace thunkvm
