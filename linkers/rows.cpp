#include "linkers/rows.h"

#include "linkers/schedule/code_regions.h"

#include <span>

namespace thunkvm {
namespace {

std::vector<MaybeIndex> maybe_indices(std::span<const std::uint32_t> indices) {
  std::vector<MaybeIndex> found;
  for (const std::uint32_t index : indices) found.push_back(maybe_index(index));
  return found;
}

template <class Body>
std::vector<std::uint32_t> nodes_of(const std::vector<Body>& bodies) {
  std::vector<std::uint32_t> nodes;
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
  return rows;
}

}  // namespace thunkvm
