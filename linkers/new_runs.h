// new_runs.h: the runs of a traced function's thunks that are unlike earlier ones, for tracers that
// look at these alone.
#pragma once

#include "vm/tracer.h"

#include <cstdint>
#include <unordered_set>
#include <vector>

namespace thunkvm {

/// Knows by node the layouts of its inputs so far: the dtypes, lengths and strides of arrays.
/// Numbers have none. For threads that take turns.
class NewRuns {
 public:
  /// The first so many runs of a node are new, too. 0: no run is new.
  explicit NewRuns(std::uint32_t first) : first_(first) {}

  bool any() const { return first_ != 0; }
  /// True if the run that begins is new; notes it. Up to 1,000 layouts of a node are known, by a
  /// hash. A run with another one is new each time.
  bool is_new(const ThunkRun& run);

 private:
  struct Runs {
    std::uint32_t n = 0;
    std::uint64_t layout = 0;  // a hash of how its inputs lay the last time
    std::unordered_set<std::uint64_t> layouts;
  };

  std::uint32_t first_;
  IndexedVector<ProgramNode, Runs> runs_;
};

}  // namespace thunkvm
