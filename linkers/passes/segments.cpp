#include "linkers/passes/segments.h"

namespace thunkvm {

void divide_into_segments(Schedule& schedule, std::uint32_t length) {
  std::uint32_t n_runs = 0;
  for (Statement& statement : schedule.statements) {
    if (statement.kind != Statement::Kind::Run) {
      n_runs = 0;
      continue;
    }
    statement.begins_segment = n_runs % length == 0;
    ++n_runs;
  }
}

}  // namespace thunkvm
