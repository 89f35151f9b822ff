// test_recorder.cpp: what a recorder makes of laps, branches and memo bodies, on a clock that
// stands still but for what the tests let pass.
#include "vm/recorder.h"

#include <doctest/doctest.h>

#include <memory>

using namespace thunkvm;

namespace {

struct StandingClock {
  StandingClock() { Clock::stand_still(true); }
  ~StandingClock() { Clock::stand_still(false); }
};

/// A recorder of a program of two nodes, one branch and one memo body, whose Need is at pc 7 in
/// region 1.
struct Recorded {
  StandingClock clock;
  Recorder recorder;

  explicit Recorded(RecordOptions options = {.times = true})
      : recorder(program(),
                 std::make_shared<RecordedProgram>(
                     regions(),
                     IndexedVector<ProgramNode, RecordedProgram::Shapes>{
                         RecordedProgram::Shapes::OfInputs, RecordedProgram::Shapes::OfNone}),
                 options) {
    recorder.begin_call();
  }
  static std::shared_ptr<const Program> program() {
    auto program = std::make_shared<Program>();
    program->n_nodes = 2;
    program->branches.resize(1);
    program->bodies.resize(1);
    return program;
  }
  static CodeRegions regions() {
    CodeRegions regions{.n_regions = 2, .at_pc = IndexedVector<Pc, std::uint32_t>(8)};
    regions.at_pc[Pc(7)] = 1;
    return regions;
  }
  void run(std::uint32_t node, std::uint64_t ticks) {
    Clock::advance(ticks);
    recorder.lap(node);
  }
  RecordedTotals totals() const {
    RecordedTotals totals;
    totals.add(recorder);
    return totals;
  }
};

}  // namespace

TEST_CASE("what passes between two laps is the later node's") {
  Recorded r;
  r.run(0, 30);
  r.run(1, 50);
  r.run(0, 7);
  CHECK(r.recorder.sites[0].runs == 2);
  CHECK(r.recorder.sites[0].self == 37);
  CHECK(r.recorder.sites[1].self == 50);
}

TEST_CASE("the first run is in neither least nor most") {
  Recorded r;
  for (const std::uint64_t ticks : {900u, 20u, 30u, 40u}) r.run(0, ticks);
  CHECK(r.recorder.sites[0].first == 900);
  CHECK(r.recorder.sites[0].min == 20);
  CHECK(r.recorder.sites[0].max == 40);
}

TEST_CASE("of a hundred runs five may take longer than p95") {
  Recorded r;
  r.run(0, 5);
  for (int i = 0; i < 95; ++i) r.run(0, 100);
  for (int i = 0; i < 5; ++i) r.run(0, 100'000);
  CHECK(r.recorder.sites[0].p95() >= 100);
  CHECK(r.recorder.sites[0].p95() <= 125);
}

TEST_CASE("a class of ticks ends where the next one begins") {
  CHECK(Recorder::tick_class(0) == 0);
  CHECK(Recorder::tick_class(19) == 0);
  CHECK(Recorder::tick_class(20) == 1);
  CHECK(Recorder::tick_class(31) == 3);
  CHECK(Recorder::tick_class(32) == 4);
  CHECK(Recorder::tick_class(~std::uint64_t{0}) == kTickClasses - 1);
}

TEST_CASE("a branch flips where it takes another arm than the time before") {
  Recorded r;
  for (const std::uint32_t arm : {1u, 1u, 0u, 1u}) r.recorder.took(0, arm);
  CHECK(r.recorder.branches[0].evaluated == 4);
  CHECK(r.recorder.branches[0].flips == 2);
}

TEST_CASE("the time of a memo body is its caller's region's") {
  Recorded r;
  r.run(0, 10);
  r.recorder.call_body(Pc(7));
  r.run(1, 40);
  r.recorder.return_from_body();
  CHECK(r.recorder.regions[1].ticks == 40);
  CHECK(r.recorder.regions[1].laps == 1);
  CHECK(r.recorder.regions[0].ticks == 0);
}

TEST_CASE("what a thunk waited for a lock is not its own time") {
  Recorded r;
  Clock::advance(100);
  r.recorder.waited(60);
  r.run(0, 0);
  CHECK(r.recorder.sites[0].self == 40);
  CHECK(r.recorder.sites[r.recorder.site(CallPart::Wait)].self == 60);
}

TEST_CASE("counts alone read no clock") {
  Recorded r({.times = false});
  r.run(0, 30);
  CHECK(r.recorder.sites[0].runs == 1);
  CHECK(r.recorder.sites[0].self == 0);
}

TEST_CASE("a call has its time and its branches") {
  Recorded r;
  r.run(0, 10);
  r.recorder.took(0, 1);
  r.run(1, 5);
  r.recorder.end_call(false);
  const RecordedTotals totals = r.totals();
  REQUIRE(totals.calls.size() == 1);
  CHECK(totals.calls[0].elapsed.ticks == 15);
  REQUIRE(totals.calls[0].decisions.size() == 1);
  CHECK(totals.calls[0].decisions[0].arm == 1);
}

TEST_CASE("the latest events are kept where not all fit, and all are counted") {
  Recorded r({.times = true, .events = true});
  for (std::size_t i = 0; i < kMostEvents + 3; ++i) r.run(0, i);
  const RecordedTotals totals = r.totals();
  CHECK(totals.events.size() == kMostEvents);
  CHECK(totals.n_events == kMostEvents + 3);
  CHECK(totals.events.front().ticks == 3);
}

TEST_CASE("what two recorders saw adds up") {
  Recorded a, b;
  a.run(0, 10);
  a.run(0, 20);
  b.recorder.begin_call();
  b.run(0, 30);
  b.run(0, 5);
  RecordedTotals totals = a.totals();
  totals.add(b.recorder);
  CHECK(totals.sites[0].runs == 4);
  CHECK(totals.sites[0].self == 65);
  CHECK(totals.sites[0].min == 5);
  CHECK(totals.sites[0].first == 10);
}

TEST_CASE("runs are counted by the shapes of their operands") {
  ShapeTally tally;
  for (const std::int64_t length : {3, 3, 5, 3}) tally.add(std::vector<std::int64_t>{1, length, 0});
  const ShapeCounts& counts = tally.counts();
  CHECK(counts.at({1, 3, 0}).runs == 3);
  CHECK(counts.at({1, 5, 0}).runs == 1);
}

TEST_CASE("a loop that runs as before has moved as much as before") {
  Recorded r;
  const std::vector<std::int64_t> shape{4};
  r.recorder.note_nest(ProgramNode(1), shape, 64);
  r.recorder.note_nest_again(ProgramNode(1), shape);
  r.recorder.note_nest_again(ProgramNode(1), shape);
  const RecordedTotals totals = r.totals();
  CHECK(totals.shapes_of_nests.at(ProgramNode(1)).at({4}).runs == 3);
  CHECK(totals.shapes_of_nests.at(ProgramNode(1)).at({4}).bytes == 192);
}

TEST_CASE("shapes beyond those that are kept apart are not counted") {
  ShapeTally tally;
  const auto n = static_cast<std::int64_t>(kMostShapes);
  for (std::int64_t i = 0; i < n + 2; ++i) tally.add(std::vector<std::int64_t>{1, i});
  tally.add(std::vector<std::int64_t>{1, 7});
  CHECK(tally.counts().size() == kMostShapes);
  CHECK(tally.counts().at({1, 7}).runs == 2);
}

TEST_CASE("a copy belongs to the thunk that runs") {
  Recorded r;
  r.recorder.begin_thunk(ProgramNode(1), nullptr, Operands{});
  r.recorder.note_copy();
  CHECK(r.totals().sites[0].copies == 0);
  CHECK(r.totals().sites[1].copies == 1);
}

TEST_CASE("of calls that two recorders kept, those are left after which none was dropped") {
  Recorded few, many;
  few.recorder.end_call(false);  // begun at tick 0, before those that are dropped
  many.recorder.end_call(false);
  for (std::size_t i = 0; i < kMostCalls; ++i) {
    Clock::advance(1);
    many.recorder.begin_call();
    many.recorder.end_call(false);
  }
  few.recorder.begin_call();
  few.recorder.end_call(false);
  RecordedTotals totals = few.totals();
  totals.add(many.totals());
  CHECK(totals.n_calls == kMostCalls + 3);
  REQUIRE(totals.calls.size() == kMostCalls / 2 + 2);
  CHECK(totals.calls.back().start - totals.calls.front().start == kMostCalls / 2);
}
