#include "python/bindings/ownership.h"

#include "python/bindings/python_op.h"
#include "python/bindings/value.h"

#include <unordered_map>
#include <vector>

namespace thunkvm {

int visit_owned(std::span<const Apply* const> held, visitproc visit, void* arg) {
  // A node is owned once all its references are found among the holder's and those of owned nodes.
  // The nodes' marks are not free for this: a collection may begin in the middle of a walk.
  std::unordered_map<const void*, std::uint32_t> found;
  std::vector<const Apply*> owned;
  const auto hold = [&](const Apply* node) {
    if (++found[node] == node->references()) owned.push_back(node);
  };
  for (const Apply* node : held) hold(node);
  for (std::size_t i = 0; i < owned.size() && i < kMostOwned; ++i) {
    const Apply& node = *owned[i];
    if (node.leaf() == Leaf::Constant) {
      const Cell& value = const_cast<Apply&>(node).output(0).constant_value();
      if (value.is_object()) Py_VISIT(object_of(value));
    }
    if (node.leaf() != Leaf::None) continue;
    const PythonOp* op = python_op(node.op());
    if (op != nullptr && ++found[op] == op->references()) Py_VISIT(op->object());
    for (const Variable& input : node.inputs()) hold(input.node());
  }
  return 0;
}

}  // namespace thunkvm
