#include "ops/graph/node_table.h"

#include <algorithm>
#include <utility>

namespace thunkvm {

const NodeTable::Page& NodeTable::add(std::uint64_t page) {
  auto numbers = std::make_unique_for_overwrite<std::uint32_t[]>(kPageEntries);
  std::fill_n(numbers.get(), kPageEntries, kAbsent);
  if ((n_pages_ + 1) * 2 > pages_.size()) {
    std::vector<Page> before(2 * pages_.size());
    before.swap(pages_);
    --shift_;
    for (Page& moved : before)
      if (moved.page != kNoPage) pages_[slot(moved.page)] = std::move(moved);
  }
  ++n_pages_;
  return pages_[slot(page)] = {page, std::move(numbers)};
}

}  // namespace thunkvm
