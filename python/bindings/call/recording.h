// recording.h: what is recorded of a function's calls from one moment to another.
#pragma once

#include "linkers/codegen/emit/tier.h"
#include "linkers/linker.h"
#include "python/bindings/python/python.h"
#include "vm/frame.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace thunkvm {

/// A program's emitted code as calls find it: what they run with, and when it will be there.
struct Emitted {
  bool profiled = false;  ///< it records what it does
  std::unique_ptr<Tier> tier;
  std::shared_ptr<const NativeCode> native;  ///< what frames run with
  std::uint64_t calls = 0;                   ///< before there was emitted code
  std::uint64_t next_try = 0;                ///< the call that has it compiled
  double waited = 0;                         ///< seconds, for its compilation
};

/// What was recorded, with how often each node ran and each counter was hit.
struct RecordedCalls {
  RecordedTotals totals;
  std::vector<std::uint64_t> node_runs, counters;
  double changeover = 0;  ///< seconds

  void add(const RecordedCalls& other);
};

/// The frames of the calls that it records are its own, so that nothing else is counted in them.
class Recording {
 public:
  Recording(const Linked& linked, const RecordOptions& options);

  FramePool& pool() { return pool_; }
  Emitted& emitted() { return emitted_; }
  const RecordOptions& options() const { return options_; }
  const CodeRegions& regions() const { return *regions_; }
  /// Of all calls that have ended, and of the recordings that handed theirs on.
  RecordedCalls recorded();
  std::uint64_t n_calls();
  void take_over(const RecordedCalls& other) { taken_over_.add(other); }
  void note_changeover(double seconds) { taken_over_.changeover += seconds; }
  /// By branch: the arm that it takes in calls from now on; kNone: what its selector says.
  void force(std::vector<std::uint32_t> arms) { forced_ = std::move(arms); }
  const std::vector<std::uint32_t>& forced() const { return forced_; }

 private:
  RecordOptions options_;
  std::shared_ptr<const CodeRegions> regions_;
  FramePool pool_;
  Emitted emitted_;
  RecordedCalls taken_over_;
  std::vector<std::uint32_t> forced_;
};

class CompiledFunction;

/// A new `Recording` object for Python, of `function`, which is owned by `owner`.
PyObject* wrap_recording(std::shared_ptr<Recording> recording, CompiledFunction& function,
                         PyObject* owner);

/// Where each node of a program runs, which branches there are, and what emitted code computes
/// together, as a dict.
PyRef program_places(const Schedule& schedule, const NativeCode* native);

void init_recording(PyObject* module);

}  // namespace thunkvm
