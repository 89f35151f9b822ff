#include "linkers/recording_report.h"

#include "vm/clock.h"

#include <algorithm>
#include <span>
#include <utility>

namespace thunkvm {
namespace {

SiteRow site_of(const SiteRecord& site, const TickScale& scale) {
  const auto one = [&](std::uint64_t ticks) { return scale.net({.ticks = ticks, .laps = 1}); };
  SiteRow result;
  static_cast<SiteCounts&>(result) = site;
  result.runs = site.runs;
  result.self_time =
      scale.net({.ticks = site.self, .laps = site.runs + site.suspended + site.failed});
  if (site.runs != 0) result.first = one(site.first);
  if (site.runs > 1) {
    result.min = one(site.min);
    result.p95 = one(site.p95());
    result.max = one(site.max);
  }
  return result;
}

}  // namespace

TickScale TickScale::of_clock() { return {Clock::seconds_per_tick(), ticks_of_lap()}; }

double TickScale::net(Elapsed elapsed) const {
  const double laps = lap * static_cast<double>(elapsed.laps);
  return std::max(0.0, static_cast<double>(elapsed.ticks) - laps) * tick;
}

RecordingReport report_of(RecordedCalls recorded, const Program& program, const TickScale& scale) {
  RecordedTotals& totals = recorded.totals;
  RecordingReport report;
  for (const SiteRecord& site : totals.sites) report.sites.push_back(site_of(site, scale));
  report.node_runs = std::move(recorded.node_runs);
  for (std::size_t b = 0; b < totals.branches.size(); ++b) {
    const std::span arms = program.branches[b].arm_counts(recorded.counters);
    BranchCounts& row = report.branches.emplace_back();
    row.flips = totals.branches[b].flips;
    row.loop = maybe_index(program.branches[b].loop);
    row.arms = {arms.begin(), arms.end()};
    if (b < totals.arms.size()) row.by_steps = std::move(totals.arms[b]);
  }
  for (const Elapsed& region : totals.regions) report.regions.push_back(scale.net(region));
  for (const std::uint32_t pc : totals.demanders) report.demanders.push_back(maybe_index(pc));
  totals.loops.resize(program.loops.size());  // there are none before the first call
  for (std::size_t l = 0; l < totals.loops.size(); ++l)
    report.loops.push_back({.node = program.loops[l].node,
                            .branch = program.loops[l].branch,
                            .runs = std::move(totals.loops[l].runs),
                            .failed = totals.loops[l].broken});
  for (const StepRecord& step : totals.steps)
    report.steps.push_back({{scale.gross(step.start), scale.gross(step.end - step.start)},
                            step.loop,
                            step.step,
                            step.call,
                            step.thread});
  for (CallRecord& call : totals.calls) {
    RecordedCall& row = report.calls.emplace_back();
    row.id = call.start;
    row.start = scale.gross(call.start);
    row.gross = scale.gross(call.elapsed.ticks);
    row.time = scale.net(call.elapsed);
    row.thread = call.thread;
    row.bytes = call.bytes;
    row.decisions = std::move(call.decisions);
    row.in_loops = std::move(call.in_loops);
    row.failed = call.failed;
  }
  for (const EventRecord& event : totals.events)
    report.events.push_back(
        {{scale.gross(event.end - event.ticks), scale.net({.ticks = event.ticks, .laps = 1})},
         event.site,
         event.call,
         event.thread});
  report.shapes_of_nodes = std::move(totals.shapes_of_nodes);
  report.shapes_of_nests = std::move(totals.shapes_of_nests);
  report.first_group = Recorder::first_group(program);
  report.n_calls = totals.n_calls;
  report.n_events = totals.n_events;
  report.changeover = recorded.changeover;
  report.lap_cost = scale.seconds_of_lap();
  return report;
}

RecordingReport report_of(Recording& recording, const Function& function) {
  RecordingReport report =
      report_of(recording.recorded(), *function.linked().program, TickScale::of_clock());
  for (const Compilation* compilation :
       {&function.compilation(), &std::as_const(recording).compilation()}) {
    report.compile += compilation->waited();
    report.compile_background += compilation->in_background();
    report.cache_hits += compilation->cache_hits();
  }
  return report;
}

}  // namespace thunkvm
