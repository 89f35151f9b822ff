// idempotents.cpp: nodes that would do once more what the node below them did.
#include "ops/graph/registry.h"
#include "ops/rewrites/rewrite.h"

namespace thunkvm {
namespace {

class Idempotents final : public Rewrite {
 public:
  std::string_view name() const override { return "idempotents"; }

  Variable replacement(const Candidate& candidate) override {
    const Op& op = *candidate.node.op();
    if (!op.is_plain() || !op.proto()->algebra.is_idempotent) return {};
    // The value below is that of a node of the same Op, so it lies in memory as the result did.
    const Variable& below = candidate.inputs[0];
    return below.node()->op() == &op ? below : Variable();
  }
};

}  // namespace

std::unique_ptr<Rewrite> idempotents_rewrite() { return std::make_unique<Idempotents>(); }

}  // namespace thunkvm
