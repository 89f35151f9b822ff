// node_index.h: the nodes of a walk over a graph, and the index of each among them.
#pragma once

#include "ops/graph/node_table.h"
#include "ops/graph/variable.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace thunkvm {

/// A list of nodes that knows each node's position in it. The walk that made it owns it, and the
/// nodes live as long as it does.
class NodeIndex {
 public:
  static constexpr std::uint32_t kAbsent = NodeTable::kAbsent;

  NodeIndex() = default;
  explicit NodeIndex(std::vector<Apply*> nodes);
  /// `positions` has that of each of the nodes, and no other node's.
  NodeIndex(std::vector<Apply*> nodes, NodeTable positions)
      : nodes_(std::move(nodes)), positions_(std::move(positions)) {}

  std::size_t size() const { return nodes_.size(); }
  Apply* operator[](std::size_t i) const { return nodes_[i]; }
  auto begin() const { return nodes_.begin(); }
  auto end() const { return nodes_.end(); }
  operator std::span<Apply* const>() const { return nodes_; }

  /// kAbsent for a node that is not in the list.
  std::uint32_t of(const Apply& node) const { return positions_.of(node); }
  bool contains(const Apply& node) const { return of(node) != kAbsent; }

  /// From now on `node`, which is not in the list, has the position of `nodes()[i]`: it stands for
  /// that node.
  void add(const Apply& node, std::uint32_t i) { positions_[node] = i; }

 private:
  std::vector<Apply*> nodes_;
  NodeTable positions_;
};

}  // namespace thunkvm
