// recorded_work.h: the work of the nodes in recorded calls, by the shapes that they had in their
// runs.
#pragma once

#include "linkers/recording_report.h"
#include "linkers/schedule/schedule.h"
#include "vm/shape_tally.h"

#include <cstdint>
#include <map>

namespace thunkvm {

/// Runs by shapes; by node, or by the first member of a nest.
using ShapesByNode = std::map<ProgramNode, ShapeCounts>;

/// Adds to the sites of a report the work of the nodes that state theirs, and of the report's
/// groups. What a nest moves is divided among its nodes. Throws what a user's Op raises.
void add_work(RecordingReport& report, const ShapesByNode& of_nodes, const ShapesByNode& of_nests,
              const Schedule& schedule);

}  // namespace thunkvm
