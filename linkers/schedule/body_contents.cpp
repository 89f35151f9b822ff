#include "linkers/schedule/body_contents.h"

#include "ops/graph/regions.h"

#include <algorithm>
#include <mutex>
#include <numeric>
#include <utility>
#include <vector>

namespace thunkvm {
namespace {

/// The bodies of a schedule (all blocks but arms), each before those that it needs or demands.
std::vector<std::uint32_t> callers_first(const Schedule& schedule) {
  std::vector<std::uint32_t> bodies;
  for (std::uint32_t b = 0; b < schedule.blocks.size(); ++b)
    if (schedule.blocks[b].kind != Block::Kind::Arm) bodies.push_back(b);
  // Who needs a node's value is a later node, or the memo body of a loop the loop.
  const auto node = [&](std::uint32_t b) {
    const Block& block = schedule.blocks[b];
    if (block.kind == Block::Kind::Memo) return std::pair(schedule.memos[block.owner].node, true);
    return std::pair(block.kind == Block::Kind::Loop ? schedule.loops[block.owner].node
                                                     : schedule.lazies[block.owner].node,
                     false);
  };
  std::sort(bodies.begin() + 1, bodies.end(),  // the root stays first
            [&](std::uint32_t a, std::uint32_t b) { return node(a) > node(b); });
  return bodies;
}

/// The bodies of a schedule as a tree, each under the nearest one around all that may run it, and
/// what is in each. Regions of the tree are bodies, a caller before those that it runs.
struct BodyTree {
  explicit BodyTree(const Schedule& schedule)
      : body_of_block(schedule.blocks.size(), kRootRegion),
        around_memo(schedule.memos.size(), kNone),
        around_lazy(schedule.lazies.size(), kNone),
        around_loop(schedule.loops.size(), kNone),
        writer(schedule.registers.size(), kRootRegion) {
    for (const std::uint32_t b : callers_first(schedule)) add(schedule, b);
    for (std::size_t l = 0; l < schedule.lazies.size(); ++l) {
      const ScheduledLazy& lazy = schedule.lazies[l];
      Region& around = around_lazy[l];
      around = around == kNone ? kRootRegion  // nobody demands it
                               : out_of_loops(schedule, around, lazy.loop);
      for (const std::uint32_t reg : schedule.outputs_of(lazy)) writer[reg] = around_lazy[l];
    }
  }

  void add(const Schedule& schedule, std::uint32_t b) {
    const Block& block = schedule.blocks[b];
    Region body = kRootRegion;
    if (block.kind != Block::Kind::Root) {
      const bool is_memo = block.kind == Block::Kind::Memo;
      const bool is_loop = block.kind == Block::Kind::Loop;
      const Region nearest = around(is_memo   ? OperandKind::Memo
                                    : is_loop ? OperandKind::Loop
                                              : OperandKind::Lazy)[block.owner];
      const std::uint32_t loop = is_memo   ? schedule.memos[block.owner].loop
                                 : is_loop ? schedule.loops[block.owner].loop
                                           : schedule.lazies[block.owner].loop;
      body =
          tree.open_body(nearest == kNone ? kRootRegion : out_of_loops(schedule, nearest, loop), b);
      if (is_loop) tree.mark_loop(body);
    }
    body_of_block[b] = body;
    for (StatementIndex i = block.begin; i < block.end; ++i) {
      const Statement& s = schedule.statements[i];
      if (rule_of(s.kind).enters) {
        Region& nearest = around(subject_of(s))[s.index];
        nearest = nearest == kNone ? body : tree.lca(nearest, body);
      }
      for (const std::uint32_t reg : schedule.written_by(s)) writer[reg] = body;
    }
  }

  /// By memo body, loop or lazy thunk.
  std::vector<Region>& around(OperandKind subject) {
    return subject == OperandKind::Memo   ? around_memo
           : subject == OperandKind::Loop ? around_loop
                                          : around_lazy;
  }

  /// What a loop's steps need and does not change from one to the next belongs to what is around
  /// the loop.
  Region out_of_loops(const Schedule& schedule, Region around, std::uint32_t loop) const {
    return tree.out_of_loops(around,
                             loop == kNone ? kNone : body_of_block[schedule.loops[loop].block]);
  }

  RegionTree tree;
  std::vector<Region> body_of_block;  ///< of those that are no arms
  /// The nearest body around its Needs, Demands or its statement.
  std::vector<Region> around_memo, around_lazy, around_loop;
  std::vector<Region> writer;  ///< by register
};

/// Lists of items by position, one behind the other.
struct Grouped {
  Grouped() = default;
  /// By item: its position, or kNone.
  Grouped(const std::vector<std::uint32_t>& position, std::size_t n_positions)
      : first(n_positions + 1) {
    for (const std::uint32_t p : position)
      if (p != kNone) ++first[p + 1];
    std::partial_sum(first.begin(), first.end(), first.begin());
    items.resize(first.back());
    std::vector<std::uint32_t> next = first;
    for (std::uint32_t item = 0; item < position.size(); ++item)
      if (position[item] != kNone) items[next[position[item]]++] = item;
  }

  std::vector<std::uint32_t> items, first;  ///< `first`: where the list of each position begins
};

/// A body is a range of positions: its own, and behind it those of the bodies within.
struct Contents {
  Contents() = default;
  explicit Contents(const Schedule& schedule) {
    const BodyTree bodies(schedule);
    const RegionTree& tree = bodies.tree;
    const std::size_t n = tree.n_regions();
    std::vector<std::uint32_t> size_of(n, 1), position_of(n, 0), next(n, 1);
    for (Region body(n); --body > 0;) size_of[tree.parent(body)] += size_of[body];
    for (Region body(1); body < n; ++body) {
      std::uint32_t& free = next[tree.parent(body)];
      position_of[body] = position_of[tree.parent(body)] + free;
      free += size_of[body];
    }

    std::vector<std::uint32_t> positions;
    for (const Region writer : bodies.writer) positions.push_back(position_of[writer]);
    for (const auto* stays : {&schedule.constants, &schedule.inputs, &schedule.shared,
                              &schedule.outputs, &schedule.updates})
      for (const std::uint32_t reg : *stays) positions[reg] = kNone;
    registers = Grouped(positions, n);
    positions.clear();
    for (const Region around : bodies.around_lazy) positions.push_back(position_of[around]);
    lazies = Grouped(positions, n);
    const auto add = [&](std::uint32_t block) {
      const Region body = bodies.body_of_block[block];
      range.emplace_back(position_of[body], position_of[body] + size_of[body]);
    };
    for (const ScheduledMemo& memo : schedule.memos) add(memo.block);
    for (const ScheduledLazy& lazy : schedule.lazies)
      for (std::uint32_t input = 0; input < lazy.n_inputs; ++input) add(lazy.first_block + input);
    for (const ScheduledLoop& loop : schedule.loops) add(loop.block);
  }

  Grouped registers, lazies;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> range;  ///< by body of the program
};

class ScheduledContents final : public BodyContents {
 public:
  explicit ScheduledContents(std::shared_ptr<const Schedule> schedule)
      : schedule_(std::move(schedule)) {}

  std::span<const std::uint32_t> registers(std::uint32_t body) const override {
    return within(&Contents::registers, body);
  }
  std::span<const std::uint32_t> lazies(std::uint32_t body) const override {
    return within(&Contents::lazies, body);
  }

 private:
  std::span<const std::uint32_t> within(Grouped Contents::* what, std::uint32_t body) const {
    std::call_once(found_, [this] { contents_ = Contents(*schedule_); });
    const auto& [begin, end] = contents_.range[body];
    const Grouped& all = contents_.*what;
    return std::span(all.items).subspan(all.first[begin], all.first[end] - all.first[begin]);
  }

  const std::shared_ptr<const Schedule> schedule_;
  mutable std::once_flag found_;
  mutable Contents contents_;
};

}  // namespace

std::shared_ptr<const BodyContents> contents_of(std::shared_ptr<const Schedule> schedule) {
  return std::make_shared<ScheduledContents>(std::move(schedule));
}

}  // namespace thunkvm
