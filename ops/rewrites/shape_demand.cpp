#include "ops/rewrites/shape_demand.h"

#include <algorithm>

namespace thunkvm {
namespace {

/// Whether a shape may be made of the value: of numbers, selectors, shapes and masks.
bool may_say_lengths(const Variable& v) {
  const TensorType* type = v.type().tensor();
  return type == nullptr || type->ndim() == 0 || is_integral(type->dtype());
}

}  // namespace

ShapeDemand::ShapeDemand(std::span<const Variable> roots, const NodeIndex& nodes) : nodes_(nodes) {
  std::uint32_t values = 0;
  for (const Apply* node : nodes) {
    first_value_.push_back(values);
    values += node->n_outputs();
  }
  first_value_.push_back(values);
  first_use_.assign(values, kNone);
  reached_.assign(values, kNone);
  shape_only_.assign(values, kNone);
  is_there_.assign(values, 0);
  for (const Variable& root : roots) {
    demand(root, kRootRegion);
    reach(root, kRootRegion);
  }
  for (std::size_t i = nodes.size(); i-- > 0;) {
    assign(first_value_[i], first_value_[i + 1]);
    if (nodes[i]->leaf() == Leaf::None) visit(*nodes[i], first_value_[i], first_value_[i + 1]);
  }
}

void ShapeDemand::demand(const Variable& v, Region region) {
  const std::uint32_t at = value(v);
  uses_.push_back({region, first_use_[at]});
  first_use_[at] = static_cast<std::uint32_t>(uses_.size() - 1);
}

void ShapeDemand::widen(Region& all, Region region) {
  all = all == kNone ? region : regions_.lca(all, region);
}

void ShapeDemand::collect(std::uint32_t value) {
  for (std::uint32_t u = first_use_[value]; u != kNone; u = uses_[u].next)
    demands_.push_back(uses_[u].region);
}

/// Everything that uses the node's outputs has been visited.
void ShapeDemand::assign(std::uint32_t first, std::uint32_t last) {
  for (std::uint32_t v = first; v < last; ++v)
    if (shape_only_[v] != kNone) is_there_[v] = is_there_in(v, shape_only_[v]);
}

/// Whether the value is computed in every call in which control comes to `region`.
bool ShapeDemand::is_there_in(std::uint32_t value, Region region) {
  demands_.clear();
  collect(value);
  if (demands_.empty()) return false;
  const auto covers = [&](Region demand) { return regions_.is_ancestor(demand, region); };
  const RegionTree::Cover cover = regions_.cover(demands_);
  return (cover.unconditional && covers(cover.region)) || std::ranges::any_of(demands_, covers);
}

bool ShapeDemand::is_there_with(std::uint32_t value, std::size_t i) {
  Region reached = kNone;
  for (std::uint32_t v = first_value_[i]; v < first_value_[i + 1]; ++v)
    if (reached_[v] != kNone) widen(reached, reached_[v]);
  return reached != kNone && is_there_in(value, reached);
}

Region ShapeDemand::entered(RegionTree::Cover cover, std::uint32_t owner) {
  return cover.unconditional ? cover.region : regions_.open_body(cover.region, owner);
}

void ShapeDemand::visit(Apply& node, std::uint32_t first, std::uint32_t last) {
  use_shapes_of_inputs(node, first, last);
  if (const Conditional* conditional = node.op()->conditional())
    return visit_conditional(node, *conditional, first);
  Region reached = kNone;
  demands_.clear();
  for (std::uint32_t v = first; v < last; ++v) {
    collect(v);
    if (reached_[v] != kNone) widen(reached, reached_[v]);
  }
  if (reached == kNone) return;
  Region runs_in = reached;
  // An Op of the registry that is no conditional is eager; of others nobody knows here.
  const bool certain = !demands_.empty() && node.op()->is_plain();
  if (certain) {
    const RegionTree::Cover cover = regions_.cover(demands_);
    const Region region = entered(cover, first);
    if (reached == cover.region) runs_in = region;
    demands_.assign(1, region);
  }
  for (const Variable& input : node.inputs()) {
    if (node.op()->shape_query() != nullptr) {
      use_shape(input, runs_in);
      continue;
    }
    reach(input, runs_in);
    if (certain) demand(input, demands_[0]);
  }
}

void ShapeDemand::visit_conditional(Apply& node, const Conditional& conditional,
                                    std::uint32_t first) {
  for (std::uint32_t j = 0; j < conditional.n_outputs; ++j) {
    const Region reached = reached_[first + j];
    if (reached == kNone) continue;
    const Variable& selector = node.input(0);
    demands_.clear();
    collect(first + j);
    if (demands_.empty()) {
      reach(selector, reached);
      for (std::uint32_t a = 0; a < conditional.n_arms; ++a)
        reach(node.input(static_cast<int>(conditional.arm_input(a, j))), reached);
      continue;
    }
    const RegionTree::Cover cover = regions_.cover(demands_);
    const Region region = entered(cover, first + j);
    const bool exact = reached == cover.region;
    const std::uint32_t key =
        regions_.open_arms(region, value(selector), conditional.decoding, conditional.n_arms);
    demand(selector, region);
    reach(selector, exact ? region : reached);
    for (std::uint32_t a = 0; a < conditional.n_arms; ++a) {
      const Variable& input = node.input(static_cast<int>(conditional.arm_input(a, j)));
      const Region arm = regions_.first_arm(key) + a;
      demand(input, arm);
      reach(input, exact ? arm : reached);
    }
  }
}

/// The lengths of an output may be made of those of all inputs, and of the values of some.
void ShapeDemand::use_shapes_of_inputs(Apply& node, std::uint32_t first, std::uint32_t last) {
  Region shape_only = kNone;
  for (std::uint32_t v = first; v < last; ++v)
    if (shape_only_[v] != kNone) widen(shape_only, shape_only_[v]);
  if (shape_only == kNone) return;
  for (const Variable& input : node.inputs()) {
    use_shape(input, shape_only);
    if (!node.op()->is_plain() || may_say_lengths(input)) reach(input, shape_only);
  }
}

}  // namespace thunkvm
