// emitter.h: from a program and its schedule to its C.
#pragma once

#include "linkers/codegen/emit/emitted_code.h"
#include "ops/graph/shape_facts.h"

#include <memory>
#include <stop_token>

namespace thunkvm {

/// Any thread may do this, while others build graphs and run the program. The schedule is the
/// program's, and the caller's. Throws Error (Interrupted) once it is to stop.
std::shared_ptr<EmittedCode> emit(std::shared_ptr<const Program> program, const Schedule& schedule,
                                  const ShapeFacts& shapes, const PlanOptions& options,
                                  const std::stop_token& stop = {});

}  // namespace thunkvm
