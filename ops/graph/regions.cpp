#include "ops/graph/regions.h"

#include "ops/graph/limits.h"

namespace thunkvm {

RegionTree::RegionTree() {
  nodes_.push_back({kRootRegion, kRootRegion, 0, kNone, kNone, 0, kNone});
}

Region RegionTree::add(Region parent, std::uint32_t key, std::uint32_t owner) {
  const Node& up = nodes_[parent];
  const Node& over = nodes_[up.jump];
  // Jump pointers as in a skew-binary list: O(1) to add, O(log depth) to climb.
  const Region jump =
      up.depth - over.depth == over.depth - nodes_[over.jump].depth ? over.jump : parent;
  nodes_.push_back({parent, jump, up.depth + 1, key, owner, 0, up.loop});
  return static_cast<Region>(nodes_.size() - 1);
}

std::uint32_t RegionTree::open_arms(Region parent, std::uint32_t selector, Decoding decoding,
                                    std::uint32_t n_arms) {
  const auto [entry, fresh] = by_name_.try_emplace(
      KeyName{parent, selector, shape(decoding, n_arms)}, static_cast<std::uint32_t>(keys_.size()));
  if (!fresh) return entry->second;
  const auto key = static_cast<std::uint32_t>(keys_.size());
  std::uint32_t& latest =
      latest_.try_emplace(std::uint64_t{selector} << 32 | shape(decoding, n_arms), kNone)
          .first->second;
  keys_.push_back(
      {parent, selector, decoding, n_arms, static_cast<Region>(nodes_.size()), latest, 0, 0});
  latest = key;
  for (std::uint32_t a = 0; a < n_arms; ++a) add(parent, key, kNone);
  return key;
}

Region RegionTree::open_body(Region parent, std::uint32_t owner) {
  return add(parent, kNone, owner);
}

std::uint32_t RegionTree::decided(Region region, std::uint32_t selector, Decoding decoding,
                                  std::uint32_t n_arms) const {
  const auto found = latest_.find(std::uint64_t{selector} << 32 | shape(decoding, n_arms));
  if (found == latest_.end()) return kNone;
  std::uint32_t key = found->second;
  for (int look = 0; key != kNone && look < kLooks; ++look, key = keys_[key].previous) {
    const Region at = keys_[key].region;
    if (at == region || !is_ancestor(at, region)) continue;
    const Region child = child_towards(at, region);
    if (nodes_[child].key == key) return arm(child);
  }
  return kNone;
}

Region RegionTree::lca(Region a, Region b) const {
  if (nodes_[a].depth < nodes_[b].depth) std::swap(a, b);
  while (nodes_[a].depth > nodes_[b].depth)
    a = nodes_[nodes_[a].jump].depth >= nodes_[b].depth ? nodes_[a].jump : nodes_[a].parent;
  while (a != b) {
    // Regions of equal depth have jumps of equal depth.
    if (nodes_[a].jump != nodes_[b].jump) {
      a = nodes_[a].jump;
      b = nodes_[b].jump;
    } else {
      a = nodes_[a].parent;
      b = nodes_[b].parent;
    }
  }
  return a;
}

bool RegionTree::is_ancestor(Region ancestor, Region region) const {
  const std::uint32_t depth = nodes_[ancestor].depth;
  while (nodes_[region].depth > depth)
    region =
        nodes_[nodes_[region].jump].depth >= depth ? nodes_[region].jump : nodes_[region].parent;
  return region == ancestor;
}

Region RegionTree::child_towards(Region ancestor, Region region) const {
  const std::uint32_t depth = nodes_[ancestor].depth + 1;
  while (nodes_[region].depth > depth)
    region =
        nodes_[nodes_[region].jump].depth >= depth ? nodes_[region].jump : nodes_[region].parent;
  return region;
}

RegionTree::Cover RegionTree::cover(std::span<const Region> demands, Region loop) {
  Region common = demands.front();
  bool same = true;
  for (Region r : demands.subspan(1)) {
    if (r == common) continue;
    same = false;
    common = lca(common, r);
  }
  const Region lowest = common;
  common = out_of_loops(lowest, loop);
  if (same && common == lowest) return {common, true};
  ++query_;
  pending_.clear();
  const auto count = [&](Region r) {
    if (nodes_[r].seen == query_) return;
    nodes_[r].seen = query_;
    pending_.push_back(r);
  };
  for (Region r : demands) count(r);
  while (!pending_.empty() && nodes_[common].seen != query_) {
    const Region r = pending_.back();
    pending_.pop_back();
    if (nodes_[r].key == kNone) continue;
    Key& key = keys_[nodes_[r].key];
    if (key.seen != query_) {
      key.seen = query_;
      key.demanded_arms = 0;
    }
    if (++key.demanded_arms == key.n_arms) count(key.region);
  }
  return {common, nodes_[common].seen == query_};
}

}  // namespace thunkvm
