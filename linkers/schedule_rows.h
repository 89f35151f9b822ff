// schedule_rows.h: the rows that Python reads of a function's schedule, declared as in rows.h.
#pragma once

#include "linkers/rows.h"
#include "linkers/schedule/schedule.h"
#include "thunks/fields.h"

#include <cstdint>
#include <string>
#include <tuple>
#include <vector>

namespace thunkvm {

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
  ProgramNode node{};
  std::uint32_t block = 0;
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

/// The branches that ask the same in one block are one condition. Its arms are in the order in
/// which they are written: of a truth value, arm 0 is for true.
struct ProgramCondition {
  std::vector<std::uint32_t> branches;
  bool truth = false;
  std::vector<std::string> arms;
  ProgramNode node{};
};
template <>
struct Fields<ProgramCondition> {
  static constexpr const char* name = "ProgramCondition";
  static constexpr const char* doc = "The branches that ask the same in one block.";
  static constexpr std::tuple fields{
      Field{&ProgramCondition::branches, "branches", "",
            "The branches; if one of them is decided, all are."},
      Field{&ProgramCondition::truth, "truth", "",
            "True if it asks for a truth value: its arms are as in the source, those of the "
            "branches the other way round."},
      Field{&ProgramCondition::arms, "arms", "", "The names of its arms."},
      Field{&ProgramCondition::node, "node", "", "The first conditional that it decides."}};
};

/// An arm of a condition as a region: the blocks that are such an arm in the same region.
struct RegionPlace {
  MaybeIndex around;
  std::uint32_t condition = 0, arm = 0;
};
template <>
struct Fields<RegionPlace> {
  static constexpr const char* name = "RegionPlace";
  static constexpr const char* doc = "An arm of a condition as a region, where nodes run.";
  static constexpr std::tuple fields{
      Field{&RegionPlace::around, "around", "",
            "The region that it lies in, which has a smaller index; None for an arm of a condition "
            "that every call decides."},
      Field{&RegionPlace::condition, "condition", "", "The condition."},
      Field{&RegionPlace::arm, "arm", "", "Which of its arms it is."}};
};

struct ScheduleRows {
  std::vector<BlockRow> blocks{};
  std::vector<MaybeIndex> node_blocks;
  std::vector<BranchRow> branches{};
  std::vector<ProgramNode> memos, lazies;
  std::vector<MaybeIndex> demanders;
  std::vector<ProgramCondition> conditions{};
  std::vector<RegionPlace> regions{};
  std::vector<MaybeIndex> block_regions{};
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
            "By pc the node for which it may have a body run."},
      Field{&ScheduleRows::conditions, "conditions", "", "The conditions that the branches are."},
      Field{&ScheduleRows::regions, "regions", "", "Each after the region around it."},
      Field{&ScheduleRows::block_regions, "block_regions", "",
            "By block the innermost region that it lies in; None: it is in no arm."}};
};

/// The rows of a schedule. Linear.
ScheduleRows rows_of(const Schedule& schedule);

}  // namespace thunkvm
