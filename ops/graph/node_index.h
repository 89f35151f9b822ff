// node_index.h: the nodes of a walk over a graph, and the index of each among them.
#pragma once

#include "ops/graph/variable.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace thunkvm {

/// A list of nodes that knows each node's position in it. The walk that made it owns it.
///
/// A node remembers one position, in the NodeIndex that numbered it last, with the number of that
/// one. Walks may nest and take turns all the same (a host that is asked whether to go on may
/// walk graphs): an index that meets a node that another one has numbered since numbers its own
/// again. So a lookup is a comparison, and what it says is right whatever else was walked.
///
/// The nodes live as long as it does. For threads that take turns, as all that walks graphs.
class NodeIndex {
 public:
  static constexpr std::uint32_t kAbsent = 0xffffffffu;

  NodeIndex() = default;
  NodeIndex(std::vector<Apply*> nodes) : nodes_(std::move(nodes)) { number_again(); }

  std::size_t size() const { return nodes_.size(); }
  Apply* operator[](std::size_t i) const { return nodes_[i]; }
  auto begin() const { return nodes_.begin(); }
  auto end() const { return nodes_.end(); }
  operator std::span<Apply* const>() const { return nodes_; }

  /// kAbsent for a node that is not in the list.
  std::uint32_t of(const Apply& node) const {
    if (static_cast<std::uint32_t>(node.index_ >> 32) == number_) [[likely]]
      return static_cast<std::uint32_t>(node.index_);
    return find(node);
  }
  bool contains(const Apply& node) const { return of(node) != kAbsent; }

  /// From now on `node`, which is not in the list, has the position of `nodes()[i]`, for which
  /// it stands.
  void add(const Apply& node, std::uint32_t i);

 private:
  std::uint32_t find(const Apply& node) const;
  void number_again() const;

  std::vector<Apply*> nodes_;
  std::vector<std::pair<const Apply*, std::uint32_t>> added_;
  mutable std::uint32_t number_ = 0;
};

/// How many times the nodes of a graph were numbered; the number of the latest time. A walk that
/// makes an index numbers its nodes itself, with a number that it takes.
std::uint32_t latest_numbering();
std::uint32_t take_numbering();

}  // namespace thunkvm
