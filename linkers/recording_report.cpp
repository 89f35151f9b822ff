#include "linkers/recording_report.h"

#include "linkers/lazy_copies.h"
#include "linkers/recorded_work.h"
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

/// Counts the runs of nodes that completed. The program counts those that began, also in emitted
/// code; a lazy node begins again and again until it has run.
void count_runs(RecordingReport& report, const Program& program) {
  std::vector<bool> is_counted(program.n_nodes);
  for (const Lazy& lazy : program.lazies)
    if (lazy.node != kNone) is_counted[lazy.node] = report.sites[lazy.node].runs != 0;
  for (std::uint32_t i = 0; i < program.n_nodes; ++i)
    if (!is_counted[i]) report.sites[i].runs = report.node_runs[i] - report.sites[i].failed;
}

/// Divides the time of each group among its nodes. A node alone in its group has all times of it.
void divide_times(RecordingReport& report) {
  for (std::size_t g = 0; g < report.groups.size(); ++g) {
    const SiteRow& group = report.sites[report.first_group + g];
    const std::vector<ProgramNode>& nodes = report.groups[g].nodes;
    for (const ProgramNode i : nodes) {
      SiteRow& node = report.sites[i];
      node.self_time += group.self_time / static_cast<double>(nodes.size());
      if (nodes.size() != 1) continue;
      node.min = group.min;
      node.p95 = group.p95;
      node.max = group.max;
      node.first = group.first;
    }
  }
}

/// Adds what the graph of a function says of its counts: the work, and copies that are lazy.
void add_facts(RecordingReport& report, const Function& function, const ShapesByNode& of_nodes,
               const ShapesByNode& of_nests) {
  const Linked& linked = function.linked();
  add_work(report, of_nodes, of_nests, *linked.schedule);
  const auto nodes = std::span(report.sites).first(linked.nodes().size());
  if (std::ranges::none_of(nodes, [](const SiteRow& site) { return site.copies != 0; })) return;
  const IndexedVector each = lazy_copies(linked, function.graph());
  for (const ProgramNode i : each.indices())
    nodes[i].lazy_copies = std::min(nodes[i].copies, each[i] * nodes[i].runs);
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
  count_runs(report, program);
  for (std::size_t b = 0; b < totals.branches.size(); ++b) {
    const std::span arms = program.branches[b].arm_counts(recorded.counters);
    BranchCounts& row = report.branches.emplace_back();
    row.flips = totals.branches[b].flips;
    row.loop = maybe_index(program.branches[b].loop);
    row.arms = {arms.begin(), arms.end()};
    if (b < totals.arms.size()) row.by_steps = std::move(totals.arms[b]);
  }
  for (const Elapsed& region : totals.regions) report.regions.push_back(scale.net(region));
  for (const Pc pc : totals.demanders) report.demanders.push_back(maybe_index(pc));
  totals.loops.resize(program.loops.size());  // there are none before the first call
  for (std::size_t l = 0; l < totals.loops.size(); ++l)
    report.loops.push_back({.node = program.loops[l].node,
                            .branch = program.loops[l].branch,
                            .outer = maybe_index(program.bodies[program.loops[l].body].loop),
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
  report.first_group = Recorder::first_group(program);
  report.n_calls = totals.n_calls;
  report.n_events = totals.n_events;
  report.changeover = recorded.changeover;
  report.lap_cost = scale.seconds_of_lap();
  return report;
}

RecordingReport report_of(Recording& recording, const Function& function) {
  RecordedCalls recorded = recording.recorded();
  const auto of_nodes = std::move(recorded.totals.shapes_of_nodes),
             of_nests = std::move(recorded.totals.shapes_of_nests);
  RecordingReport report =
      report_of(std::move(recorded), *function.linked().program, TickScale::of_clock());
  if (const NativeCode* const native = recording.compilation().ready())
    report.groups = native->groups;
  report.sites.resize(std::max(report.sites.size(), report.first_group + report.groups.size()));
  divide_times(report);
  add_facts(report, function, of_nodes, of_nests);
  for (const Compilation* compilation :
       {&function.compilation(), &std::as_const(recording).compilation()}) {
    report.compile += compilation->waited();
    report.compile_background += compilation->in_background();
    report.cache_hits += compilation->cache_hits();
  }
  return report;
}

RecordingReport counts_of(Function& function, FramePool& own) {
  RecordedCalls counted = function.record_apart({})->recorded();
  counted.node_runs = function.recordings().node_runs(own);
  counted.counters = function.recordings().counters(own);
  RecordingReport report =
      report_of(std::move(counted), *function.linked().program, TickScale::of_clock());
  add_facts(report, function, {}, {});
  return report;
}

}  // namespace thunkvm
