#include "ops/graph/connection.h"

#include "ops/graph/op.h"

#include <vector>

namespace thunkvm {

Connection::Connection(std::span<const Variable> outputs, const GradientAnswers& answers) {
  std::vector<Variable> pending(outputs.begin(), outputs.end());
  while (!pending.empty()) {
    const Variable v = std::move(pending.back());
    pending.pop_back();
    if (!reached_.insert(v).second || v.node()->leaf() != Leaf::None) continue;
    const Apply& node = *v.node();
    if (const Conditional* conditional = node.op()->conditional()) {
      pending.push_back(node.input(0));
      for (std::uint32_t arm = 0; arm < conditional->n_arms; ++arm)
        pending.push_back(node.input(static_cast<int>(conditional->arm_input(arm, v.index()))));
      continue;
    }
    const auto* partly = dynamic_cast<const PartlyConnected*>(node.op());
    for (std::uint32_t i = 0; i < node.n_inputs(); ++i) {
      if (partly != nullptr && !partly->connects(static_cast<int>(i))) continue;
      const auto answer = answers.find({&node, i});
      if (answer == answers.end() || answer->second)
        pending.push_back(node.input(static_cast<int>(i)));
    }
  }
}

}  // namespace thunkvm
