// node_table.h: a number for each node that a walk meets.
#pragma once

#include "ops/graph/limits.h"
#include "ops/graph/variable.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace thunkvm {

/// Numbers by node, found by the nodes' addresses. A walk marks nodes without writing to them, so
/// walks may nest, take turns and know nothing of each other.
///
/// Memory is divided into pages of 4 KB. The numbers of the nodes in a page are an array, which is
/// made for the first of them. So the cost of a walk depends on the nodes that it meets alone.
/// Nodes that lie side by side have their numbers side by side. The nodes live as long as it does.
class NodeTable {
 public:
  static constexpr std::uint32_t kAbsent = 0xffffffffu;

  /// kAbsent for a node that has none.
  std::uint32_t of(const Apply& node) const {
    const Page& page = pages_[slot(page_of(node))];
    return page.numbers == nullptr ? kAbsent : page.numbers[entry_of(node)];
  }

  /// The node's number, kAbsent until it is written. The reference stays good.
  std::uint32_t& operator[](const Apply& node) {
    if (page_of(node) != latest_) [[unlikely]] {  // a walk stays where it is for a while
      const Page& page = pages_[slot(page_of(node))];
      latest_numbers_ = (page.numbers == nullptr ? add(page_of(node)) : page).numbers.get();
      latest_ = page_of(node);
    }
    return latest_numbers_[entry_of(node)];
  }

 private:
  struct Page {
    std::uint64_t page = kNoPage;
    std::unique_ptr<std::uint32_t[]> numbers;
  };
  static constexpr std::uint64_t kNoPage = ~std::uint64_t{0};

  static std::uint64_t address(const Apply& node) {
    return reinterpret_cast<std::uintptr_t>(&node);
  }
  static std::uint64_t page_of(const Apply& node) {
    return address(node) / (kPageEntries * Apply::kMinBytes);
  }
  static std::size_t entry_of(const Apply& node) {
    return address(node) / Apply::kMinBytes % kPageEntries;
  }
  /// The place of a page, or the place where it would be put.
  std::size_t slot(std::uint64_t page) const {
    std::size_t at = page * 0x9e3779b97f4a7c15u >> shift_;
    while (pages_[at].page != page && pages_[at].page != kNoPage) at = (at + 1) % pages_.size();
    return at;
  }
  const Page& add(std::uint64_t page);

  int shift_ = 60;
  std::vector<Page> pages_ = std::vector<Page>(16);  // by hash, at most half of them there
  std::size_t n_pages_ = 0;
  std::uint64_t latest_ = kNoPage;  // the page that was written to last
  std::uint32_t* latest_numbers_ = nullptr;
};

}  // namespace thunkvm
