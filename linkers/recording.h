// recording.h: records of a function's calls, from one moment to another.
#pragma once

#include "linkers/compilation.h"
#include "linkers/linker.h"
#include "vm/frame.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace thunkvm {

/// The records of calls, with how often each node ran and each counter was hit.
struct RecordedCalls {
  RecordedTotals totals;
  std::vector<std::uint64_t> node_runs, counters;
  double changeover = 0;  ///< seconds

  void add(const RecordedCalls& other);
};

/// A recording that goes on, or did. The frames of the calls that it records are its own, so that
/// nothing else is counted in them. For threads that take turns.
class Recording {
 public:
  /// Calls run C that was compiled to be profiled, where it is compiled at all; `emission` is what
  /// the function itself is compiled with.
  Recording(const Linked& linked, const RecordOptions& options, CompileWhen when,
            PlanOptions emission);

  FramePool& pool() { return pool_; }
  Compilation& compilation() { return compilation_; }
  const Compilation& compilation() const { return compilation_; }
  const RecordOptions& options() const { return options_; }
  const CodeRegions& regions() const { return about_->regions; }
  /// The sums over all calls that have ended, those of recordings that handed theirs on too. There
  /// is one of each site, branch, region, memo body, node and counter of the program, also where no
  /// call came to it; of a group of emitted code only where one did.
  RecordedCalls recorded();
  std::uint64_t n_calls();
  void take_over(const RecordedCalls& other) { taken_over_.add(other); }
  /// Before a call: changes over to C that is there by now.
  void follow();
  /// By branch: the arms that it takes in each call from now on.
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

/// The recordings of one function that go on, and what those that stopped have counted.
class Recordings {
 public:
  /// The one that records the calls of now; null: none does.
  const std::shared_ptr<Recording>& latest() const { return latest_; }
  void add(std::shared_ptr<Recording> recording);
  /// It records no further call; the one before it gets what it has recorded.
  void stop(const std::shared_ptr<Recording>& recording, Host& host);
  /// Before the end of the function: stops what is being compiled.
  void stop_compiling(Host& host);

  /// The counts of all calls: those of `own`, the frames of calls that are not recorded, and those
  /// of recordings.
  std::vector<std::uint64_t> node_runs(FramePool& own) {
    return counts(own, &RecordedCalls::node_runs);
  }
  std::vector<std::uint64_t> counters(FramePool& own) {
    return counts(own, &RecordedCalls::counters);
  }
  /// Counts begin anew; recordings keep what they counted.
  void reset_counters(FramePool& own);

 private:
  std::vector<std::uint64_t> counts(FramePool& own,
                                    std::vector<std::uint64_t> RecordedCalls::* which);

  std::vector<std::shared_ptr<Recording>> all_;  ///< the latest one last
  std::shared_ptr<Recording> latest_;
  RecordedCalls stopped_;   ///< counts of recordings that did
  RecordedCalls reset_at_;  ///< counts of recordings that were there before they were reset
};

}  // namespace thunkvm
