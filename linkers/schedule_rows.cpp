#include "linkers/schedule_rows.h"

#include "linkers/schedule/code_regions.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace thunkvm {
namespace {

template <class Indices>
std::vector<MaybeIndex> maybe_indices(const Indices& indices) {
  std::vector<MaybeIndex> found;
  for (const auto index : indices) found.push_back(maybe_index(index));
  return found;
}

template <class Body>
std::vector<ProgramNode> nodes_of(const std::vector<Body>& bodies) {
  std::vector<ProgramNode> nodes;
  for (const Body& body : bodies) nodes.push_back(body.node);
  return nodes;
}

BlockRow row_of(const Schedule& schedule, const Block& block) {
  BlockRow row{.kind = block.kind,
               .within = maybe_index(block.parent),
               .owner = block.owner,
               .number = block.number};
  switch (block.kind) {
    case Block::Kind::Root: break;
    case Block::Kind::Arm: {
      const ScheduledBranch& branch = schedule.branches[block.owner];
      row.node = schedule.decided_by(branch).front();
      row.n_arms = branch.n_arms;
      row.decoding = branch.decoding;
      break;
    }
    case Block::Kind::Memo: row.node = maybe_index(schedule.memos[block.owner].node); break;
    case Block::Kind::Loop: row.node = maybe_index(schedule.loops[block.owner].node); break;
    case Block::Kind::Input:
    case Block::Kind::Guarded: row.node = maybe_index(schedule.lazies[block.owner].node); break;
  }
  return row;
}

BranchRow row_of(const Schedule& schedule, const ScheduledBranch& branch) {
  BranchRow row{.selector = branch.selector,
                .decoding = branch.decoding,
                .node = schedule.decided_by(branch).front(),
                .block = schedule.arm(branch, 0).parent,
                .loop = branch.loop != kNone};
  for (std::uint32_t arm = 0; arm < branch.n_arms; ++arm)
    row.arms.push_back(row.loop ? loop_arm_name(arm)
                                : arm_name(branch.decoding, branch.n_arms, arm));
  return row;
}

void add_conditions(ScheduleRows& rows) {
  std::map<std::tuple<std::uint32_t, Decoding, std::uint32_t>, std::size_t> together;
  for (std::uint32_t b = 0; b < rows.branches.size(); ++b) {
    const BranchRow& branch = rows.branches[b];
    const auto [at, is_new] = together.try_emplace({branch.selector, branch.decoding, branch.block},
                                                   rows.conditions.size());
    if (is_new) {
      ProgramCondition& made = rows.conditions.emplace_back();
      made.truth = branch.decoding == Decoding::Truth;
      made.arms = branch.arms;
      made.node = branch.node;
      if (made.truth) std::ranges::reverse(made.arms);
    }
    rows.conditions[at->second].branches.push_back(b);
  }
}

void add_regions(ScheduleRows& rows) {
  std::vector<std::uint32_t> condition_of(rows.branches.size());
  for (std::uint32_t c = 0; c < rows.conditions.size(); ++c)
    for (const std::uint32_t branch : rows.conditions[c].branches) condition_of[branch] = c;
  std::map<std::tuple<MaybeIndex, std::uint32_t, std::uint32_t>, std::uint32_t> known;
  for (const BlockRow& block : rows.blocks) {
    MaybeIndex region = block.within ? rows.block_regions[*block.within] : MaybeIndex();
    if (block.kind == Block::Kind::Arm) {
      const std::uint32_t condition = condition_of[block.owner];
      const std::uint32_t arm = rows.conditions[condition].truth ? 1 - block.number : block.number;
      const auto [at, is_new] = known.try_emplace({region, condition, arm},
                                                  static_cast<std::uint32_t>(rows.regions.size()));
      if (is_new) rows.regions.push_back({region, condition, arm});
      region = at->second;
    }
    rows.block_regions.push_back(region);
  }
}

}  // namespace

ScheduleRows rows_of(const Schedule& schedule) {
  ScheduleRows rows{.node_blocks = maybe_indices(schedule.block_of_nodes()),
                    .memos = nodes_of(schedule.memos),
                    .lazies = nodes_of(schedule.lazies),
                    .demanders = maybe_indices(demanders_of(schedule))};
  const std::vector<bool> idle = idle_blocks(schedule);
  for (const Block& block : schedule.blocks) {
    rows.blocks.push_back(row_of(schedule, block));
    rows.blocks.back().idle = idle[rows.blocks.size() - 1];
  }
  for (const ScheduledBranch& branch : schedule.branches)
    rows.branches.push_back(row_of(schedule, branch));
  add_conditions(rows);
  add_regions(rows);
  return rows;
}

}  // namespace thunkvm
