// schedules.h: the schedule of a small graph, as text.
#pragma once

#include "linkers/linker.h"
#include "ops/control/loop.h"
#include "tests/cpp/inputs.h"

#include <string>
#include <utility>
#include <vector>

namespace thunkvm {

/// The schedule of what depends on these. It begins with an empty line, as a raw string does.
inline std::string schedule(std::vector<Variable> inputs, std::vector<Variable> outputs,
                            const LinkOptions& options = {}) {
  const FunctionGraph graph{.inputs = std::move(inputs), .outputs = std::move(outputs)};
  return "\n" + link(open_loops(graph), options).schedule->text();
}

}  // namespace thunkvm
