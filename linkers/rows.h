// rows.h: the rows that Python reads of a function's nodes and its recordings.
//
// Each is a struct, and its declaration beside it (thunks/fields.h). The NamedTuple of each row is
// made from that (python/bindings/python/rows.h), as are the fields that rows of profiles share
// with these, and their documentation. Times are seconds, net unless a field says otherwise.
#pragma once

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

// ---- recordings

/// The work of runs, as Ops state it.
struct Work {
  double flops = 0, bytes_moved = 0;
};
template <>
struct Fields<Work> {
  static constexpr const char* name = "Work";
  static constexpr const char* doc =
      "The work of runs, as Ops state it; 0 of one that states none.";
  static constexpr std::tuple fields{
      Field{&Work::flops, "flops", "", "The floating-point operations of all runs.",
            Merging::Added},
      Field{&Work::bytes_moved, "bytes_moved", "bytes",
            "The memory that all runs read and wrote. That of a nest is divided among its nodes.",
            Merging::Added}};
};

/// A site: a node, a group or a part of a call.
struct SiteRow : SiteCounts, Work {
  std::uint64_t runs = 0;
  double self_time = 0;
  std::optional<double> min, p95, max, first;
  std::uint64_t lazy_copies = 0;
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
                "The self time of the first run, which is in none of the above three."},
          Field{&SiteRow::lazy_copies, "lazy_copies", "",
                "How many of its copies were made for laziness's sake: of what only nodes still "
                "may need that not every call runs.",
                Merging::Added}},
      Fields<SiteCounts>::fields, Fields<Work>::fields);
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
  ProgramNode node{};
  std::uint32_t branch = 0;
  MaybeIndex outer;
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
      Field{&LoopCounts::outer, "outer", "",
            "The loop in each step of which it runs; None: once a call."},
      Field{&LoopCounts::runs, "runs", "", "By number of steps: how many runs took so many."},
      Field{&LoopCounts::failed, "failed", "", "How many runs an error ended."}};
};

}  // namespace thunkvm
