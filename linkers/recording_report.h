// recording_report.h: the report of a recording: counts, and times in seconds.
#pragma once

#include "linkers/function.h"
#include "linkers/recording.h"
#include "vm/recorder.h"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace thunkvm {

/// Ticks as seconds. Each lap reads the clock; that time is not the thunk's.
struct TickScale {
  double tick = 0;  ///< seconds
  double lap = 0;   ///< ticks of a lap that are the recorder's own

  /// That of this process's clock.
  static TickScale of_clock();
  double gross(std::uint64_t ticks) const { return static_cast<double>(ticks) * tick; }
  /// Without the laps; not negative.
  double net(Elapsed elapsed) const;
  double seconds_of_lap() const { return lap * tick; }
};

/// The records of a recording, in the order of RecordedTotals. All times are seconds, and net
/// unless a field says otherwise.
struct RecordingReport {
  struct Site {
    std::uint64_t runs = 0;
    double self = 0;                      ///< of all runs
    std::optional<double> min, p95, max;  ///< of all runs but the first; none: there was one
    std::optional<double> first;          ///< none: it never ran
    std::uint64_t suspended = 0, failed = 0, bytes = 0, peak = 0, copies = 0;
  };
  struct BranchCounts {
    std::uint64_t flips = 0;
    std::vector<std::uint64_t> arms;  ///< how often each was taken
    std::uint32_t loop = kNone;       ///< the innermost loop in each step of which it decides
    ArmsBySteps by_steps{};           ///< of one in a loop
  };
  struct CallTimes {
    std::uint64_t id = 0;  ///< the tick in which it began, which its events name it by
    double start = 0, gross = 0, net = 0;
    std::uint64_t thread = 0, bytes = 0;
    std::vector<Decision> decisions;
    std::vector<LoopDecisions> in_loops;
    bool failed = false;
  };
  struct Event {
    double start = 0, net = 0;
    std::uint32_t site = 0;
    std::uint64_t call = 0, thread = 0;
  };

  /// The runs of a loop.
  struct LoopRuns {
    std::uint32_t node = 0;
    LoopRecord record;
    std::uint32_t branch = 0;  ///< its test
  };
  struct Step {
    double start = 0, gross = 0;
    std::uint32_t loop = 0;
    std::uint64_t step = 0, call = 0, thread = 0;
  };

  std::vector<Site> sites;
  std::vector<std::uint64_t> node_runs;
  std::vector<BranchCounts> branches;
  std::vector<double> regions;
  std::vector<std::uint32_t> demanders;
  std::vector<LoopRuns> loops;
  std::vector<Step> steps;
  std::vector<CallTimes> calls;
  std::vector<Event> events;
  std::map<std::uint32_t, ShapeCounts> shapes_of_nodes, shapes_of_nests;
  std::uint32_t first_group = 0;  ///< the site of the first group of emitted code
  std::uint64_t n_calls = 0, n_events = 0;
  /// The time that calls waited for the compiler, and that it worked in the background: for the
  /// function and for its recorded program.
  double compile = 0, compile_background = 0;
  std::uint64_t cache_hits = 0;  ///< modules that needed no compiler
  double changeover = 0;         ///< the time that it took to change over to emitted code
  double lap_cost = 0;           ///< the time of a lap that is left out
};

/// The report of a program's calls; nothing of compiling.
RecordingReport report_of(RecordedCalls recorded, const Program& program, const TickScale& scale);
/// The report of a function's recording, for the calls that have ended.
RecordingReport report_of(Recording& recording, const Function& function);

}  // namespace thunkvm
