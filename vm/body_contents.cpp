#include "vm/body_contents.h"

#include "vm/bodies/body_graph.h"
#include "vm/bodies/defining_blocks.h"

#include <numeric>

namespace thunkvm {
namespace {

/// Lists of items by position, one behind the other: the items, and where each list begins.
struct Grouped {
  std::vector<std::uint32_t> items, first;
};

Grouped group(const std::vector<std::uint32_t>& position_of_item, std::uint32_t n_positions) {
  Grouped grouped;
  grouped.first.assign(n_positions + 1, 0);
  for (const std::uint32_t position : position_of_item)
    if (position != kNone) ++grouped.first[position + 1];
  std::partial_sum(grouped.first.begin(), grouped.first.end(), grouped.first.begin());
  grouped.items.resize(grouped.first.back());
  std::vector<std::uint32_t> next(grouped.first.begin(), grouped.first.end() - 1);
  for (std::uint32_t item = 0; item < position_of_item.size(); ++item)
    if (position_of_item[item] != kNone) grouped.items[next[position_of_item[item]]++] = item;
  return grouped;
}

}  // namespace

BodyContents::BodyContents(const Program& program) {
  const BodyGraph bodies(program);
  const DefiningBlocks definitions(program, bodies);
  for (std::uint32_t lazy = 0; lazy < program.lazies.size(); ++lazy)
    first_input_.push_back(bodies.input(lazy, 0));

  // A dominator comes before what it dominates: sizes from the inside, positions from the outside.
  const std::span<const Entry> entries = bodies.callers_first();
  size_.assign(bodies.n_entries(), 1);
  for (std::size_t i = entries.size(); i-- > 0;)
    if (entries[i] != 0) size_[bodies.dominator(entries[i])] += size_[entries[i]];
  position_.assign(bodies.n_entries(), 0);
  std::vector<std::uint32_t> next(bodies.n_entries(), 1);
  for (const Entry entry : entries) {
    if (entry == 0) continue;
    const Entry above = bodies.dominator(entry);
    position_[entry] = position_[above] + next[above];
    next[above] += size_[entry];
  }

  std::vector<bool> stays = definitions.given;
  for (const auto* list : {&program.outputs, &program.updates})
    for (const std::uint32_t index : *list) stays[index] = true;
  std::vector<std::uint32_t> positions(program.n_registers);
  for (std::uint32_t index = 0; index < program.n_registers; ++index)
    positions[index] = stays[index] ? kNone : position_[definitions.writer[index]];
  Grouped grouped = group(positions, bodies.n_entries());
  registers_ = std::move(grouped.items);
  first_register_ = std::move(grouped.first);

  positions.resize(program.lazies.size());
  for (std::uint32_t lazy = 0; lazy < program.lazies.size(); ++lazy)
    positions[lazy] = position_[bodies.lazy(lazy)];
  grouped = group(positions, bodies.n_entries());
  lazies_ = std::move(grouped.items);
  first_lazy_ = std::move(grouped.first);
}

}  // namespace thunkvm
