#include "ops/graph/node_table.h"

#include <algorithm>
#include <utility>

namespace thunkvm {

const NodeTable::Page& NodeTable::add(std::uint64_t page) {
  if (++n_pages_ * 2 > pages_.size()) {
    --shift_;
    for (Page& before : std::exchange(pages_, std::vector<Page>(2 * pages_.size())))
      if (before.page != kNoPage) pages_[slot(before.page)] = std::move(before);
  }
  Page& added = pages_[slot(page)];
  added = {page, std::make_unique_for_overwrite<std::uint32_t[]>(kPageEntries)};
  std::fill_n(added.numbers.get(), kPageEntries, kAbsent);
  return added;
}

}  // namespace thunkvm
