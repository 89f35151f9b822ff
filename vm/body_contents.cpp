#include "vm/body_contents.h"

#include "vm/verify/body_graph.h"
#include "vm/verify/defining_blocks.h"

#include <numeric>

namespace thunkvm {
namespace {

/// Lists of items by place, one behind the other: the items, and where each place's begin.
struct Grouped {
  std::vector<std::uint32_t> items, first;
};

Grouped group(const std::vector<std::uint32_t>& place_of_item, std::uint32_t n_places) {
  Grouped grouped;
  grouped.first.assign(n_places + 1, 0);
  for (const std::uint32_t place : place_of_item)
    if (place != kNone) ++grouped.first[place + 1];
  std::partial_sum(grouped.first.begin(), grouped.first.end(), grouped.first.begin());
  grouped.items.resize(grouped.first.back());
  std::vector<std::uint32_t> next(grouped.first.begin(), grouped.first.end() - 1);
  for (std::uint32_t item = 0; item < place_of_item.size(); ++item)
    if (place_of_item[item] != kNone) grouped.items[next[place_of_item[item]]++] = item;
  return grouped;
}

}  // namespace

BodyContents::BodyContents(const Program& program) {
  const BodyGraph bodies(program);
  const DefiningBlocks definitions(program, bodies);
  for (std::uint32_t lazy = 0; lazy < program.lazies.size(); ++lazy)
    first_input_.push_back(bodies.input(lazy, 0));

  // A dominator comes before what it dominates: sizes from the inside, places from the outside.
  const std::span<const Entry> entries = bodies.callers_first();
  size_.assign(bodies.n_entries(), 1);
  for (std::size_t i = entries.size(); i-- > 0;)
    if (entries[i] != 0) size_[bodies.dominator(entries[i])] += size_[entries[i]];
  place_.assign(bodies.n_entries(), 0);
  std::vector<std::uint32_t> next(bodies.n_entries(), 1);
  for (const Entry entry : entries) {
    if (entry == 0) continue;
    const Entry above = bodies.dominator(entry);
    place_[entry] = place_[above] + next[above];
    next[above] += size_[entry];
  }

  std::vector<bool> stays = definitions.given;
  for (const auto* list : {&program.outputs, &program.updates})
    for (const std::uint32_t index : *list) stays[index] = true;
  std::vector<std::uint32_t> places(program.n_registers);
  for (std::uint32_t index = 0; index < program.n_registers; ++index)
    places[index] = stays[index] ? kNone : place_[definitions.writer[index]];
  Grouped grouped = group(places, bodies.n_entries());
  registers_ = std::move(grouped.items);
  first_register_ = std::move(grouped.first);

  places.resize(program.lazies.size());
  for (std::uint32_t lazy = 0; lazy < program.lazies.size(); ++lazy)
    places[lazy] = place_[bodies.lazy(lazy)];
  grouped = group(places, bodies.n_entries());
  lazies_ = std::move(grouped.items);
  first_lazy_ = std::move(grouped.first);
}

}  // namespace thunkvm
