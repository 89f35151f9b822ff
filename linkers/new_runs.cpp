#include "linkers/new_runs.h"

#include "linkers/limits.h"
#include "vm/frame.h"

namespace thunkvm {
namespace {

/// A hash of how the inputs of a run lie.
std::uint64_t layout_of(const ThunkRun& run) {
  std::uint64_t hash = 1;
  const auto add = [&](std::uint64_t value) {
    hash = (hash ^ value) * 0x9e3779b97f4a7c15u;
    hash ^= hash >> 32;
  };
  for (int i = 0; i < run.operands.n_inputs; ++i) {
    if (run.lazy != nullptr && !run.lazy->available(i)) {
      add(1);
      continue;
    }
    const Cell& cell = run.frame.cell(run.operands.input(i));
    if (!cell.is_array()) continue;
    const ArrayBody& body = *cell.body();
    add(static_cast<std::uint64_t>(body.dtype) * 64 + body.ndim);
    for (int k = 0; k < 2 * body.ndim; ++k) add(static_cast<std::uint64_t>(body.dims[k]));
  }
  return hash;
}

}  // namespace

bool NewRuns::is_new(const ThunkRun& run) {
  if (!any()) return false;
  if (run.node >= runs_.size()) runs_.resize(run.node + 1);
  Runs& runs = runs_[run.node];
  const std::uint64_t layout = layout_of(run);
  const bool first = runs.n < first_;
  runs.n += first ? 1 : 0;
  if (layout == runs.layout && !first) return false;
  const bool known = !first && runs.layouts.contains(layout);
  if (known || runs.layouts.size() < kLayoutsRemembered) {
    runs.layouts.insert(layout);
    runs.layout = layout;
  }
  return !known;
}

}  // namespace thunkvm
