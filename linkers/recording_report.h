// recording_report.h: the report of a recording: counts, and times in seconds.
#pragma once

#include "linkers/function.h"
#include "linkers/recording.h"
#include "linkers/rows.h"
#include "thunks/fields.h"
#include "vm/recorder.h"

#include <cstdint>
#include <tuple>
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
  std::vector<SiteRow> sites;
  std::vector<NativeGroup> groups;
  std::vector<std::uint64_t> node_runs;
  std::vector<BranchCounts> branches;
  std::vector<double> regions;
  std::vector<MaybeIndex> demanders;
  std::vector<LoopCounts> loops;
  std::vector<RecordedStep> steps;
  std::vector<RecordedCall> calls;
  std::vector<RecordedEvent> events;
  std::uint32_t first_group = 0;
  std::uint64_t n_calls = 0, n_events = 0;
  double compile = 0, compile_background = 0;
  std::uint64_t cache_hits = 0;
  double changeover = 0, lap_cost = 0;
};
template <>
struct Fields<RecordingReport> {
  using Report = RecordingReport;
  static constexpr const char* name = "RecordingReport";
  static constexpr const char* doc = "The records of the calls that have ended.";
  static constexpr std::tuple fields{
      Field{&Report::sites, "sites", "", "Those of the nodes, the parts of calls, the groups."},
      Field{&Report::groups, "groups", "", "The nodes that emitted code computes together."},
      Field{&Report::node_runs, "node_runs", "", "By node how often it was begun."},
      Field{&Report::branches, "branches", "", "The program's branches."},
      Field{&Report::regions, "regions", "s", "By block the time of the bodies that it ran."},
      Field{&Report::demanders, "demanders", "", "By memo body the pc of its first Need."},
      Field{&Report::loops, "loops", "", "The program's loops."},
      Field{&Report::steps, "steps", "", "The latest steps of loops, if they are recorded."},
      Field{&Report::calls, "calls", "", "The latest calls."},
      Field{&Report::events, "events", "", "The latest events, if they are recorded."},
      Field{&Report::first_group, "first_group", "", "The site of the first group."},
      Field{&Report::n_calls, "n_calls", "", "How many calls were recorded."},
      Field{&Report::n_events, "n_events", "", "How many events were recorded."},
      Field{&Report::compile, "compile", "s",
            "The time that calls waited for the compiler, for the recorded program too."},
      Field{&Report::compile_background, "compile_background", "s",
            "The time that it compiled while calls went on."},
      Field{&Report::cache_hits, "cache_hits", "", "How many modules needed no compiler."},
      Field{&Report::changeover, "changeover", "s",
            "The time that it took to change over to emitted code."},
      Field{&Report::lap_cost, "lap_cost", "s", "The time of a lap that is left out."}};
};

/// The report of a program's calls; nothing of compiling, and of work.
RecordingReport report_of(RecordedCalls recorded, const Program& program, const TickScale& scale);
/// The report of a function's recording, for the calls that have ended. The time and the work of a
/// group are divided among its nodes.
RecordingReport report_of(Recording& recording, const Function& function);
/// The counts that every function keeps of its calls, without a recording: of runs and of arms.
/// `own`: the frames of calls that are not recorded.
RecordingReport counts_of(Function& function, FramePool& own);

}  // namespace thunkvm
