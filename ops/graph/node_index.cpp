#include "ops/graph/node_index.h"

namespace thunkvm {

NodeIndex::NodeIndex(std::vector<Apply*> nodes) : nodes_(std::move(nodes)) {
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) positions_[*nodes_[i]] = i;
}

}  // namespace thunkvm
