#include "ops/graph/op.h"

#include "ops/graph/cut_gradient.h"
#include "ops/graph/extents.h"
#include "ops/graph/functions.h"
#include "ops/graph/registry.h"
#include "thunks/error.h"

namespace thunkvm {
namespace {

/// The outputs for tangents in the place of all inputs that have derivatives.
std::vector<Variable> at_tangents(Apply& node, std::span<const Variable> tangents) {
  std::vector<Variable> inputs;
  for (std::uint32_t i = 0; i < node.n_inputs(); ++i) {
    const Variable& input = node.input(static_cast<int>(i));
    const TensorType* const type = input.type().tensor();
    const bool is_held = type == nullptr || !is_inexact(type->dtype());
    inputs.push_back(tangents[i] ? tangents[i] : is_held ? input : zeros_like(input));
  }
  return node.op()->call(inputs);
}

/// The sum of the outputs for each tangent in the place of its input.
std::vector<Variable> at_each_tangent(Apply& node, std::span<const Variable> tangents) {
  std::vector<Variable> totals;
  for (std::uint32_t i = 0; i < node.n_inputs(); ++i) {
    if (!tangents[i]) continue;
    std::vector<Variable> inputs(node.inputs().begin(), node.inputs().end());
    inputs[i] = tangents[i];
    const std::vector<Variable> parts = node.op()->call(inputs);
    if (totals.empty()) {
      totals = parts;
      continue;
    }
    for (std::size_t j = 0; j < parts.size(); ++j)
      totals[j] = sum_of_gradients(totals[j], parts[j]);
  }
  return totals;
}

}  // namespace

bool Op::is_plain() const { return proto_ != nullptr && proto_->is_plain; }

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

std::optional<std::vector<Variable>> Op::push_forward(Apply& node,
                                                      std::span<const Variable> tangents) const {
  switch (linearity()) {
    case Linearity::None: return std::nullopt;
    case Linearity::Each: return at_each_tangent(node, tangents);
    case Linearity::Together: return at_tangents(node, tangents);
  }
  return std::nullopt;
}

std::vector<Variable> Op::batch(Apply& node, std::span<const Variable>,
                                const std::vector<bool>&) const {
  throw Error(ErrorKind::NotImplemented, "[" + name() + "] has no batching rule (node made at " +
                                             node.origin_text() +
                                             "), which jacobian needs; give the Op a batch method");
}

}  // namespace thunkvm
