// new_runs.h: which runs of a traced function's thunks are unlike those before, for tracers that
// look at these alone.
#pragma once

#include "vm/tracer.h"

#include <cstdint>
#include <unordered_set>
#include <vector>

namespace thunkvm {

/// Knows by node how its inputs have lain so far: the dtypes, lengths and strides of arrays;
/// numbers have none. For threads that take turns.
class NewRuns {
 public:
  /// The first so many runs of a node are new, too; with none of them no run is.
  explicit NewRuns(std::uint32_t first) : first_(first) {}

  bool any() const { return first_ != 0; }
  /// Whether a run that begins is new; notes it. A node's layouts are known, by a hash, up to
  /// 1,000; what comes beyond them is new each time.
  bool is_new(const ThunkRun& run);

 private:
  struct Runs {
    std::uint32_t n = 0;
    std::uint64_t layout = 0;  // a hash of how its inputs lay the last time
    std::unordered_set<std::uint64_t> layouts;
  };

  std::uint32_t first_;
  std::vector<Runs> runs_;  // by node
};

}  // namespace thunkvm
