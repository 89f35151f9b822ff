#include "linkers/reduction_order.h"

#include "ops/graph/op.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace thunkvm {
namespace {

class ReductionOrder {
 public:
  explicit ReductionOrder(std::vector<Apply*> nodes) : nodes_(std::move(nodes)) {}

  NodeIndex run() && {
    if (!find_tails()) return std::move(nodes_);
    find_readers();
    done_.resize(nodes_.size(), false);
    order_.reserve(nodes_.size());
    for (std::uint32_t i = 0; i < nodes_.size(); ++i)
      if (!done_[i]) add(i);
    return std::move(order_);
  }

 private:
  std::uint32_t index_of(const Variable& v) const { return nodes_.of(*v.node()); }
  static bool is_reduction(const Apply& node) {
    return node.leaf() == Leaf::None && node.op()->block_reduction(node).has_value();
  }
  static bool is_elementwise(Apply& node) {
    return node.leaf() == Leaf::None && node.op()->element_code(node) != nullptr &&
           node.output(0).ndim() > 0;
  }

  /// Tails: reductions, and what nothing but tails reads. False if there are no reductions.
  bool find_tails() {
    tail_.resize(nodes_.size(), false);
    std::vector<bool> read_by_others(nodes_.size(), false), read(nodes_.size(), false);
    bool any = false;
    for (std::uint32_t i = static_cast<std::uint32_t>(nodes_.size()); i-- > 0;) {
      Apply& node = *nodes_[i];
      const bool reduction = is_reduction(node);
      any |= reduction;
      tail_[i] = reduction || (read[i] && !read_by_others[i] && is_elementwise(node));
      for (const Variable& input : node.inputs()) {
        read[index_of(input)] = true;
        if (!tail_[i]) read_by_others[index_of(input)] = true;
      }
    }
    return any;
  }

  /// The tails that read each node.
  void find_readers() {
    first_reader_.resize(nodes_.size() + 1, 0);
    each_read([&](std::uint32_t input, std::uint32_t) { ++first_reader_[input + 1]; });
    for (std::size_t i = 0; i < nodes_.size(); ++i) first_reader_[i + 1] += first_reader_[i];
    readers_.resize(first_reader_.back());
    std::vector<std::uint32_t> next(first_reader_.begin(), first_reader_.end() - 1);
    each_read([&](std::uint32_t input, std::uint32_t tail) { readers_[next[input]++] = tail; });
  }
  template <class F>
  void each_read(F&& f) const {
    for (std::uint32_t i = 0; i < nodes_.size(); ++i)
      if (tail_[i])
        for (const Variable& input : nodes_[i]->inputs()) f(index_of(input), i);
  }

  /// Adds a node whose inputs are there, and the tails that had to wait for nothing else.
  void add(std::uint32_t node) {
    waiting_.push_back(node);
    while (!waiting_.empty()) {
      const std::uint32_t i = waiting_.back();
      waiting_.pop_back();
      if (done_[i] || !is_ready(i)) continue;
      for (const Variable& input : nodes_[i]->inputs())
        if (const std::uint32_t leaf = index_of(input); !done_[leaf]) take(leaf);
      take(i);
      if (nodes_[i]->leaf() != Leaf::None) continue;
      for (std::uint32_t r = first_reader_[i + 1]; r-- > first_reader_[i];)
        waiting_.push_back(readers_[r]);
    }
  }
  void take(std::uint32_t i) {
    done_[i] = true;
    order_.push_back(nodes_[i]);
  }
  /// True if all inputs are there, or are leaves.
  bool is_ready(std::uint32_t i) const {
    return std::ranges::all_of(nodes_[i]->inputs(), [&](const Variable& input) {
      return done_[index_of(input)] || input.node()->leaf() != Leaf::None;
    });
  }

  NodeIndex nodes_;
  std::vector<Apply*> order_;
  // By node.
  std::vector<bool> tail_, done_;
  std::vector<std::uint32_t> first_reader_, readers_;
  std::vector<std::uint32_t> waiting_;
};

}  // namespace

NodeIndex reduced_early(std::vector<Apply*> nodes) {
  return ReductionOrder(std::move(nodes)).run();
}

}  // namespace thunkvm
