// rows.h: the rows that Python reads of a function: its nodes, its schedule and its recordings.
//
// Each is a struct, and its declaration beside it (thunks/fields.h). The NamedTuple of each row is
// made from that (python/bindings/python/rows.h), as are the fields that rows of profiles share
// with these, and their documentation. Times are seconds, net unless a field says otherwise.
#pragma once

#include "linkers/schedule/schedule.h"
#include "thunks/fields.h"
#include "vm/native.h"
#include "vm/recorder.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace thunkvm {

/// An index; none where there is nothing.
using MaybeIndex = std::optional<std::uint32_t>;
inline MaybeIndex maybe_index(std::uint32_t index) {
  return index == kNone ? MaybeIndex() : MaybeIndex(index);
}

// ---- nodes

struct NodeRuns {
  std::string node, op;
  ThunkForm form = ThunkForm::Kernel;
  std::string origin;
  std::uint64_t runs = 0;
};
template <>
struct Fields<NodeRuns> {
  static constexpr const char* name = "NodeRuns";
  static constexpr const char* doc = "The runs of one node of a function.";
  static constexpr std::tuple fields{
      Field{&NodeRuns::node, "node", "", "The node's name."},
      Field{&NodeRuns::op, "op", "", "Its Op."},
      Field{&NodeRuns::form, "form", "", "The form that it runs by without emitted code."},
      Field{&NodeRuns::origin, "origin", "", "The line of the user's code that made it."},
      Field{&NodeRuns::runs, "runs", "",
            "How often it ran. A lazy Op counts each time it was entered. A conditional counts "
            "once for each branch that decided some of its outputs: once a call where its outputs "
            "stand together, up to once for each output that was demanded where they do not (mode "
            "py decides every output by itself)."}};
};

struct NodeCode {
  ThunkForm form = ThunkForm::Kernel;
  std::string code, why;
};
template <>
struct Fields<NodeCode> {
  static constexpr const char* name = "NodeCode";
  static constexpr const char* doc = "The form of one node where C is emitted.";
  static constexpr std::tuple fields{
      Field{&NodeCode::form, "form", "", "The form that it runs by."},
      Field{&NodeCode::code, "code", "", "Its place in the emitted C; empty: it is not there."},
      Field{&NodeCode::why, "why", "", "Why it has no better form; empty: it is the best."}};
};

template <>
struct Fields<NativeGroup> {
  static constexpr const char* name = "NativeGroup";
  static constexpr const char* doc = "Nodes that emitted code computes together.";
  static constexpr std::tuple fields{
      Field{&NativeGroup::nodes, "nodes", "", "The nodes."},
      Field{&NativeGroup::kind, "kind", "", "How they are computed."}};
};

// ---- the schedule

struct BlockRow {
  Block::Kind kind = Block::Kind::Root;
  MaybeIndex within{};
  std::uint32_t owner = 0;
  MaybeIndex node{};
  std::uint32_t number = 0, n_arms = 0;
  Decoding decoding = Decoding::Truth;
  bool idle = false;
};
template <>
struct Fields<BlockRow> {
  static constexpr const char* name = "BlockRow";
  static constexpr const char* doc =
      "A block of a function's schedule: the nodes that run together, if they run.";
  static constexpr std::tuple fields{
      Field{&BlockRow::kind, "kind", "",
            "An arm is one of a conditional, or of the test of a loop. A memo body runs when it is "
            "first needed, an input when a lazy node asks for it, a guarded one when an attempt "
            "does. A step is one of a loop."},
      Field{
          &BlockRow::within, "within", "",
          "The block that it runs within; None for the root, and if that is not known (mode py)."},
      Field{&BlockRow::owner, "owner", "",
            "An arm's branch; else the number of the memo body, of the lazy thunk or of the loop."},
      Field{&BlockRow::node, "node", "",
            "The conditional, the node that is needed, the lazy node, or the loop."},
      Field{&BlockRow::number, "number", "", "Which arm, or which input."},
      Field{&BlockRow::n_arms, "n_arms", "", "How many arms there are."},
      Field{&BlockRow::decoding, "decoding", "",
            "How the selector picks an arm: by truth (arm 1 if it is true), by index, or by index "
            "with the last arm for all others."},
      Field{&BlockRow::idle, "idle", "",
            "True if nothing is computed in it, and nothing has to be for it."}};
};

struct BranchRow {
  std::uint32_t selector = 0;
  Decoding decoding = Decoding::Truth;
  std::vector<std::string> arms{};
  std::uint32_t node = 0, block = 0;
  bool loop = false;
};
template <>
struct Fields<BranchRow> {
  static constexpr const char* name = "BranchRow";
  static constexpr const char* doc = "A branch of a function's schedule.";
  static constexpr std::tuple fields{
      Field{&BranchRow::selector, "selector", "", "The register of its selector."},
      Field{&BranchRow::decoding, "decoding", "", "How the selector picks an arm."},
      Field{&BranchRow::arms, "arms", "", "The names of its arms, in the program's order."},
      Field{&BranchRow::node, "node", "", "The first conditional that it decides, or the loop."},
      Field{&BranchRow::block, "block", "", "The block that it is in."},
      Field{&BranchRow::loop, "loop", "", "True if it is the test of a loop."}};
};

struct ScheduleRows {
  std::vector<BlockRow> blocks{};
  std::vector<MaybeIndex> node_blocks;
  std::vector<BranchRow> branches{};
  std::vector<std::uint32_t> memos, lazies;
  std::vector<MaybeIndex> demanders;
};
template <>
struct Fields<ScheduleRows> {
  static constexpr const char* name = "ScheduleRows";
  static constexpr const char* doc = "The blocks of a function's schedule, and their contents.";
  static constexpr std::tuple fields{
      Field{&ScheduleRows::blocks, "blocks", "", "The root first, each before those within it."},
      Field{&ScheduleRows::node_blocks, "node_blocks", "",
            "By node the block that it runs in; None for one that nothing runs."},
      Field{&ScheduleRows::branches, "branches", "", "The branches."},
      Field{&ScheduleRows::memos, "memos", "", "The nodes of memo bodies."},
      Field{&ScheduleRows::lazies, "lazies", "", "The nodes of lazy thunks."},
      Field{&ScheduleRows::demanders, "demanders", "",
            "By pc the node for which it may have a body run."}};
};

/// The rows of a schedule. Linear.
ScheduleRows rows_of(const Schedule& schedule);

// ---- recordings

/// A site: a node, a group or a part of a call.
struct SiteRow : SiteCounts {
  std::uint64_t runs = 0;
  double self_time = 0;
  std::optional<double> min, p95, max, first;
};
template <>
struct Fields<SiteRow> {
  static constexpr const char* name = "SiteRow";
  static constexpr const char* doc =
      "The counts and times of one node, of a group of nodes, or of a part of calls.";
  static constexpr std::tuple fields = std::tuple_cat(
      std::tuple{
          Field{&SiteRow::runs, "runs", "", "How often it completed.", Merging::Added},
          Field{&SiteRow::self_time, "self_time", "s", "The time in it alone.", Merging::Added},
          Field{&SiteRow::min, "min", "s",
                "The shortest self time of a run; None if there was one run, or none."},
          Field{&SiteRow::p95, "p95", "s", "The self time that 95 of 100 runs did not exceed."},
          Field{&SiteRow::max, "max", "s", "The longest self time of a run."},
          Field{&SiteRow::first, "first", "s",
                "The self time of the first run, which is in none of the above three."}},
      Fields<SiteCounts>::fields);
};

/// The part of a branch's row that is the same in profiles.
struct BranchTally {
  std::uint64_t flips = 0;
  MaybeIndex loop;
};
template <>
struct Fields<BranchTally> {
  static constexpr const char* name = "BranchTally";
  static constexpr const char* doc = "The changes of one branch, and its loop.";
  static constexpr std::tuple fields{
      Field{&BranchTally::flips, "flips", "",
            "How often it was decided otherwise than the time before.", Merging::Added},
      Field{&BranchTally::loop, "loop", "",
            "The innermost loop in each step of which it is decided; None: once a call."}};
};
struct BranchCounts : BranchTally {
  std::vector<std::uint64_t> arms;
  ArmsBySteps by_steps;
};
template <>
struct Fields<BranchCounts> {
  static constexpr const char* name = "BranchCounts";
  static constexpr const char* doc = "The decisions of one branch.";
  static constexpr std::tuple fields = std::tuple_cat(
      Fields<BranchTally>::fields,
      std::tuple{Field{&BranchCounts::arms, "arms", "", "How often it took each arm."},
                 Field{&BranchCounts::by_steps, "by_steps", "",
                       "How often it took each arm, by class of step, if it is in a loop."}});
};

template <>
struct Fields<Decision> {
  static constexpr const char* name = "Decision";
  static constexpr const char* doc = "The arm that a branch took, if it is in no loop.";
  static constexpr std::tuple fields{Field{&Decision::branch, "branch", "", "The branch."},
                                     Field{&Decision::arm, "arm", "", "The arm."}};
};
template <>
struct Fields<ArmRun> {
  static constexpr const char* name = "ArmRun";
  static constexpr const char* doc = "An arm that was taken some times, one after the other.";
  static constexpr std::tuple fields{Field{&ArmRun::arm, "arm", "", "The arm."},
                                     Field{&ArmRun::times, "times", "", "How often."}};
};
template <>
struct Fields<LoopDecisions> {
  static constexpr const char* name = "LoopDecisions";
  static constexpr const char* doc = "The arms that a branch in a loop took in a call.";
  static constexpr std::tuple fields{
      Field{&LoopDecisions::branch, "branch", "", "The branch."},
      Field{&LoopDecisions::runs, "runs", "", "Its arms, in order."}};
};

/// The part of a call's row that is the same in profiles.
struct CallTimes {
  double start = 0, time = 0;
  std::uint64_t bytes = 0;
  bool failed = false;
};
template <>
struct Fields<CallTimes> {
  static constexpr const char* name = "CallTimes";
  static constexpr const char* doc = "The time of one call.";
  static constexpr std::tuple fields{
      Field{&CallTimes::start, "start", "s", "When it began, on the profile's clock."},
      Field{&CallTimes::time, "time", "s", "The time that it took."},
      Field{&CallTimes::bytes, "bytes", "bytes", "The memory that was allocated in it."},
      Field{&CallTimes::failed, "failed", "", "True if it raised an error."}};
};
struct RecordedCall : CallTimes {
  std::uint64_t id = 0, thread = 0;
  double gross = 0;
  std::vector<Decision> decisions;
  std::vector<LoopDecisions> in_loops;
};
template <>
struct Fields<RecordedCall> {
  static constexpr const char* name = "RecordedCall";
  static constexpr const char* doc = "One call, as it was recorded.";
  static constexpr std::tuple fields = std::tuple_cat(
      Fields<CallTimes>::fields,
      std::tuple{
          Field{&RecordedCall::id, "id", "",
                "The tick in which it began, by which its events name it."},
          Field{&RecordedCall::thread, "thread", "", "Its thread."},
          Field{&RecordedCall::gross, "gross", "s", "The time with all that measuring took."},
          Field{&RecordedCall::decisions, "decisions", "", "Of branches in no loop."},
          Field{&RecordedCall::in_loops, "in_loops", "",
                "Of the other branches, if they are recorded."}});
};

/// The part of an event's row that is the same in profiles.
struct Stretch {
  double start = 0, duration = 0;
};
template <>
struct Fields<Stretch> {
  static constexpr const char* name = "Stretch";
  static constexpr const char* doc = "A stretch of time.";
  static constexpr std::tuple fields{
      Field{&Stretch::start, "start", "s", "When it began, on the profile's clock."},
      Field{&Stretch::duration, "duration", "s", "The time that it took."}};
};
struct RecordedEvent : Stretch {
  std::uint32_t site = 0;
  std::uint64_t call = 0, thread = 0;
};
template <>
struct Fields<RecordedEvent> {
  static constexpr const char* name = "RecordedEvent";
  static constexpr const char* doc = "One run of a site.";
  static constexpr std::tuple fields =
      std::tuple_cat(Fields<Stretch>::fields,
                     std::tuple{Field{&RecordedEvent::site, "site", "", "The site."},
                                Field{&RecordedEvent::call, "call", "", "The id of its call."},
                                Field{&RecordedEvent::thread, "thread", "", "Its thread."}});
};
struct RecordedStep : Stretch {
  std::uint32_t loop = 0;
  std::uint64_t step = 0, call = 0, thread = 0;
};
template <>
struct Fields<RecordedStep> {
  static constexpr const char* name = "RecordedStep";
  static constexpr const char* doc = "One step of a loop.";
  static constexpr std::tuple fields =
      std::tuple_cat(Fields<Stretch>::fields,
                     std::tuple{Field{&RecordedStep::loop, "loop", "", "The loop."},
                                Field{&RecordedStep::step, "step", "", "Which step, from 0."},
                                Field{&RecordedStep::call, "call", "", "The id of its call."},
                                Field{&RecordedStep::thread, "thread", "", "Its thread."}});
};

struct LoopCounts {
  std::uint32_t node = 0, branch = 0;
  std::map<std::uint64_t, std::uint64_t> runs;
  std::uint64_t failed = 0;
};
template <>
struct Fields<LoopCounts> {
  static constexpr const char* name = "LoopCounts";
  static constexpr const char* doc = "The runs of one loop.";
  static constexpr std::tuple fields{
      Field{&LoopCounts::node, "node", "", "Its node."},
      Field{&LoopCounts::branch, "branch", "", "The branch of its test."},
      Field{&LoopCounts::runs, "runs", "", "By number of steps: how many runs took so many."},
      Field{&LoopCounts::failed, "failed", "", "How many runs an error ended."}};
};

template <>
struct Fields<ShapedRuns> {
  static constexpr const char* name = "ShapedRuns";
  static constexpr const char* doc = "The runs with one tuple of shapes.";
  static constexpr std::tuple fields{
      Field{&ShapedRuns::runs, "runs", "", "How many."},
      Field{&ShapedRuns::bytes, "bytes", "bytes", "Of a nest: read and written in all of them."}};
};

}  // namespace thunkvm
