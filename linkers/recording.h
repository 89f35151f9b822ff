// recording.h: records of a function's calls, between two moments.
#pragma once

#include "linkers/compilation.h"
#include "linkers/linker.h"
#include "vm/frame.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace thunkvm {

/// The records of calls, with the runs of each node and the hits of each counter.
struct RecordedCalls {
  RecordedTotals totals;
  std::vector<std::uint64_t> node_runs, counters;
  double changeover = 0;  ///< seconds

  void add(const RecordedCalls& other);
};

/// A recording, running or stopped. The calls that it records have frames of their own, so that
/// these count nothing else. For threads that take turns.
class Recording {
 public:
  /// Calls run C that was compiled to be profiled, if it is compiled at all. `emission`: the
  /// options of the function itself.
  Recording(const Linked& linked, const RecordOptions& options, CompileWhen when,
            PlanOptions emission);

  FramePool& pool() { return pool_; }
  Compilation& compilation() { return compilation_; }
  const Compilation& compilation() const { return compilation_; }
  const RecordOptions& options() const { return options_; }
  const CodeRegions& regions() const { return about_->regions; }
  /// The sums over all calls that have ended, and over the calls of recordings that handed theirs
  /// on. There is one for each site, branch, region, memo body, node and counter of the program,
  /// even if no call reached it; for a group of emitted code only if a call did.
  RecordedCalls recorded();
  std::uint64_t n_calls();
  void take_over(const RecordedCalls& other) { taken_over_.add(other); }
  /// Before a call: changes over to C that is ready by now.
  void follow();
  /// By branch: the arms that it is forced to take in each call from now on.
  void force(std::vector<ArmScript> scripts) { scripts_ = std::move(scripts); }
  const std::vector<ArmScript>& scripts() const { return scripts_; }

 private:
  RecordOptions options_;
  std::shared_ptr<const Program> program_;
  std::shared_ptr<const RecordedProgram> about_;
  FramePool pool_;
  Compilation compilation_;
  RecordedCalls taken_over_;
  std::vector<ArmScript> scripts_;
};

/// The running recordings of one function, and the counts of those that stopped.
class Recordings {
 public:
  /// The recording that gets the next calls; null: none.
  const std::shared_ptr<Recording>& latest() const { return latest_; }
  void add(std::shared_ptr<Recording> recording);
  /// Stops a recording. The one before it gets its records.
  void stop(const std::shared_ptr<Recording>& recording, Host& host);
  /// Before the end of the function: stops running compilations.
  void stop_compiling(Host& host);

  /// The counts of all calls: those of `own`, the frames of calls that are not recorded, and those
  /// of recordings.
  std::vector<std::uint64_t> node_runs(FramePool& own) {
    return counts(own, &RecordedCalls::node_runs);
  }
  std::vector<std::uint64_t> counters(FramePool& own) {
    return counts(own, &RecordedCalls::counters);
  }
  /// Counts begin anew; recordings keep theirs.
  void reset_counters(FramePool& own);

 private:
  std::vector<std::uint64_t> counts(FramePool& own,
                                    std::vector<std::uint64_t> RecordedCalls::* which);

  std::vector<std::shared_ptr<Recording>> all_;  ///< the latest one last
  std::shared_ptr<Recording> latest_;
  RecordedCalls stopped_;   ///< counts of recordings that stopped
  RecordedCalls reset_at_;  ///< counts of recordings when counts were reset
};

}  // namespace thunkvm
