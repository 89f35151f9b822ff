#include "ops/graph/node_index.h"

#include <atomic>

namespace thunkvm {
namespace {

// A node that was never numbered has the number 0. That an atomic counts costs nothing here.
constinit std::atomic<std::uint32_t> numberings{0};

std::uint64_t mark(std::uint32_t number, std::size_t i) {
  return (static_cast<std::uint64_t>(number) << 32) | i;
}

}  // namespace

std::uint32_t latest_numbering() { return numberings.load(std::memory_order_relaxed); }
std::uint32_t take_numbering() { return numberings.fetch_add(1, std::memory_order_relaxed) + 1; }

void NodeIndex::number_again() const {
  number_ = take_numbering();
  for (const auto& [node, i] : added_) node->index_ = mark(number_, i);
  for (std::size_t i = 0; i < nodes_.size(); ++i) nodes_[i]->index_ = mark(number_, i);
}

std::uint32_t NodeIndex::find(const Apply& node) const {
  if (latest_numbering() == number_) return kAbsent;
  number_again();
  return static_cast<std::uint32_t>(node.index_ >> 32) == number_
             ? static_cast<std::uint32_t>(node.index_)
             : kAbsent;
}

void NodeIndex::add(const Apply& node, std::uint32_t i) {
  added_.emplace_back(&node, i);
  node.index_ = mark(number_, i);
}

}  // namespace thunkvm
