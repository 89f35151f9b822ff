#include "ops/graph/op.h"

#include "ops/graph/extents.h"
#include "ops/graph/registry.h"
#include "thunks/error.h"

namespace thunkvm {

const ElementCode* Op::element_code(const Apply&) const { return nullptr; }

ThunkCode Op::kernel(const Apply&) const { return {}; }

std::optional<BlockwiseReduction> Op::block_reduction(const Apply&) const { return {}; }

const IndexMap* Op::index_map(const Apply&) const { return nullptr; }

std::span<const Hint> Op::hints() const {
  return proto_ == nullptr ? std::span<const Hint>() : proto_->hints;
}

const AliasMap& Op::view_map() const {
  static const AliasMap none;
  return none;
}

const AliasMap& Op::destroy_map() const {
  static const AliasMap none;
  return none;
}

std::vector<Extents> Op::infer_shape(Apply& node, std::span<const Extents>) const {
  std::vector<Extents> shapes;
  for (const Variable& output : node.outputs()) shapes.push_back(extents_of(output));
  return shapes;
}

std::optional<std::vector<IntegerSource>> Op::integers(const Apply&) const { return std::nullopt; }

std::vector<Variable> Op::grad(Apply& node, std::span<const Variable>) const {
  throw Error(ErrorKind::NotImplemented,
              "[" + name() + "] has no gradient (node made at " + node.origin_text() +
                  "); give the Op a grad method, or cut the path with stop_gradient");
}

std::vector<Variable> Op::batch(Apply& node, std::span<const Variable>,
                                const std::vector<bool>&) const {
  throw Error(ErrorKind::NotImplemented, "[" + name() + "] has no batching rule (node made at " +
                                             node.origin_text() +
                                             "), which jacobian needs; give the Op a batch method");
}

}  // namespace thunkvm
