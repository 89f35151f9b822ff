// test_recording_report.cpp: which seconds a recording tells of the ticks that it has.
#include "linkers/recorded_work.h"
#include "linkers/recording_report.h"
#include "ops/graph/functions.h"

#include <doctest/doctest.h>

#include <utility>
#include <vector>

namespace thunkvm {
namespace {

/// A tick is a quarter of a second, and two of each lap are the recorder's own.
constexpr TickScale kScale{.tick = 0.25, .lap = 2.0};

RecordingReport report_of_sites(std::vector<SiteRecord> sites) {
  RecordedCalls recorded;
  recorded.totals.sites = std::move(sites);
  return report_of(std::move(recorded), {}, kScale);
}

TEST_CASE("the laps are taken from what a site took, once for each run, pause and failure") {
  SiteRecord site;
  site.runs = 3;
  site.suspended = 2;
  site.failed = 1;
  site.self = 100;
  CHECK(report_of_sites({site}).sites[0].self_time == (100 - 6 * 2) * 0.25);
}

TEST_CASE("a time is never less than nothing") {
  CHECK(kScale.net({.ticks = 3, .laps = 2}) == 0.0);
  CHECK(kScale.net({.ticks = 8, .laps = 2}) == 1.0);
}

TEST_CASE("least and most are told once there is a run beside the first") {
  SiteRecord never, once, twice;
  once.runs = 1;
  once.first = 10;
  twice.runs = 2;
  twice.first = 10;
  twice.min = twice.max = 6;
  const RecordingReport found = report_of_sites({never, once, twice});
  CHECK(!found.sites[0].first);
  CHECK(found.sites[1].first == 2.0);
  CHECK(!found.sites[1].min);
  CHECK(found.sites[2].min == 1.0);
  CHECK(found.sites[2].max == 1.0);
}

TEST_CASE("a branch has the counts of its own arms") {
  Program program;
  program.branches.resize(2);
  program.branches[0].first_counter = 1;
  program.branches[1].first_counter = 3;
  RecordedCalls recorded;
  recorded.totals.branches.resize(2);
  recorded.totals.branches[0].flips = 4;
  recorded.counters = {9, 10, 11, 12, 13};
  const RecordingReport found = report_of(std::move(recorded), program, kScale);
  CHECK(found.branches[0].flips == 4);
  CHECK(found.branches[0].arms == std::vector<std::uint64_t>{10, 11});
  CHECK(found.branches[1].arms == std::vector<std::uint64_t>{12, 13});
}

TEST_CASE("a call has the time that it took, and that without its laps") {
  RecordedCalls recorded;
  CallRecord& call = recorded.totals.calls.emplace_back();
  call.start = 8;
  call.elapsed = {.ticks = 40, .laps = 5};
  const RecordingReport found = report_of(std::move(recorded), {}, kScale);
  CHECK(found.calls[0].id == 8);
  CHECK(found.calls[0].start == 2.0);
  CHECK(found.calls[0].gross == 10.0);
  CHECK(found.calls[0].time == 7.5);
}

TEST_CASE("an event began when its ticks did") {
  RecordedCalls recorded;
  recorded.totals.events.push_back({.end = 20, .ticks = 12, .site = 3});
  const RecordingReport found = report_of(std::move(recorded), {}, kScale);
  CHECK(found.events[0].start == 2.0);
  CHECK(found.events[0].duration == 2.5);
  CHECK(found.events[0].site == 3);
}

TEST_CASE("a recording reports on the parts of its function's program before any call") {
  const Variable x = Variable::input(TensorType::scalar(DType::Float64), "x");
  const Function f({.inputs = {x}, .outputs = {exp(x)}});
  const RecordingReport found = report_of(*f.record_apart({.times = true}), f);
  CHECK(found.n_calls == 0);
  CHECK(found.node_runs == std::vector<std::uint64_t>{0});
  CHECK(found.first_group == found.sites.size());
}

TEST_CASE("a function that nobody records reports its runs, and the work of its numbers") {
  const Variable x = Variable::input(TensorType::scalar(DType::Float64), "x");
  Function f({.inputs = {x}, .outputs = {exp(x)}});
  f({Cell::of(1.0)});
  f({Cell::of(2.0)});
  const RecordingReport found = counts_of(f, f.frames());
  CHECK(found.n_calls == 0);
  CHECK(found.sites[0].runs == 2);
  CHECK(found.sites[0].flops == 2);
  CHECK(found.sites[0].bytes_moved == 0);
}

TEST_CASE("the work of a node is that of its shapes in each run, and a nest's is its groups'") {
  const Variable x = Variable::input(TensorType::of_ndim(DType::Float64, 1), "x");
  const Variable y = exp(x);
  RecordingReport report;
  const Function f({.inputs = {x}, .outputs = {exp(y)}});
  report.first_group = 2;
  const ProgramNode first(0), second(1);
  report.groups = {{.nodes = {first, second}, .kind = GroupKind::Nest}};
  report.sites.resize(3);
  add_work(report, {{first, {{{1, 5, 1, 5}, {.runs = 2}}}}},
           {{first, {{{7}, {.runs = 3, .bytes = 80}}}}}, *f.linked().schedule);
  CHECK(report.sites[0].flops == 2 * 5 + 3 * 7);
  CHECK(report.sites[0].bytes_moved == 2 * 8 * (5 + 5) + 40);
  CHECK(report.sites[1].flops == 3 * 7);
  CHECK(report.sites[1].bytes_moved == 40);
  CHECK(report.sites[2].flops == 31 + 21);
  CHECK(report.sites[2].bytes_moved == 200 + 40);
}

}  // namespace
}  // namespace thunkvm
