#include "linkers/recording_report.h"

#include "vm/clock.h"

#include <algorithm>
#include <span>
#include <utility>

namespace thunkvm {
namespace {

RecordingReport::Site site_of(const SiteRecord& site, const TickScale& scale) {
  const auto one = [&](std::uint64_t ticks) { return scale.net({.ticks = ticks, .laps = 1}); };
  RecordingReport::Site result;
  result.runs = site.runs;
  result.suspended = site.suspended;
  result.failed = site.failed;
  result.bytes = site.bytes;
  result.peak = site.peak;
  result.copies = site.copies;
  result.self = scale.net({.ticks = site.self, .laps = site.runs + site.suspended + site.failed});
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
    report.branches.push_back({.flips = totals.branches[b].flips,
                               .arms = {arms.begin(), arms.end()},
                               .loop = program.branches[b].loop});
    if (b < totals.arms.size()) report.branches.back().by_steps = std::move(totals.arms[b]);
  }
  for (const Elapsed& region : totals.regions) report.regions.push_back(scale.net(region));
  report.demanders = std::move(totals.demanders);
  totals.loops.resize(program.loops.size());  // there are none before the first call
  for (std::size_t l = 0; l < totals.loops.size(); ++l)
    report.loops.push_back(
        {program.loops[l].node, std::move(totals.loops[l]), program.loops[l].branch});
  for (const StepRecord& step : totals.steps)
    report.steps.push_back({.start = scale.gross(step.start),
                            .gross = scale.gross(step.end - step.start),
                            .loop = step.loop,
                            .step = step.step,
                            .call = step.call,
                            .thread = step.thread});
  for (CallRecord& call : totals.calls)
    report.calls.push_back({.id = call.start,
                            .start = scale.gross(call.start),
                            .gross = scale.gross(call.elapsed.ticks),
                            .net = scale.net(call.elapsed),
                            .thread = call.thread,
                            .bytes = call.bytes,
                            .decisions = std::move(call.decisions),
                            .in_loops = std::move(call.in_loops),
                            .failed = call.failed});
  for (const EventRecord& event : totals.events)
    report.events.push_back({.start = scale.gross(event.end - event.ticks),
                             .net = scale.net({.ticks = event.ticks, .laps = 1}),
                             .site = event.site,
                             .call = event.call,
                             .thread = event.thread});
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
