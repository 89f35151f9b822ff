#include "ops/elementwise/element_rules.h"

#include "ops/graph/cut_gradient.h"
#include "ops/graph/extents.h"
#include "ops/graph/limits.h"

#include <algorithm>
#include <optional>
#include <unordered_set>

namespace thunkvm {
namespace {

/// False only if broadcasting with `other` cannot change the shape of `x`.
bool may_enlarge(const Variable& other, const Variable& x) {
  if (other == x) return false;
  const StaticShape& to = other.static_shape();
  const StaticShape& from = x.static_shape();
  if (to.size() > from.size()) return true;
  const std::size_t offset = from.size() - to.size();
  for (std::size_t i = 0; i < to.size(); ++i) {
    if (to[i] != 1 && (from[offset + i] == 1 || from[offset + i] == kUnknownLength)) return true;
  }
  return false;
}

/// The values that broadcasting gives `x` its shape from, as far as they are near: those in `ends`,
/// and the others that no elementwise node computes.
std::unordered_set<Variable, VariableHash> shape_sources(
    const Variable& x, const std::unordered_set<Variable, VariableHash>& ends) {
  std::unordered_set<Variable, VariableHash> sources, met;
  std::vector<Variable> pending = {x};
  while (!pending.empty() && met.size() < kNodesAboveAnIndex) {
    const Variable v = std::move(pending.back());
    pending.pop_back();
    if (!met.insert(v).second) continue;
    const Apply& node = *v.node();
    if (ends.contains(v) || node.op() == nullptr || node.op()->element_code(node) == nullptr)
      sources.insert(v);
    else
      pending.insert(pending.end(), node.inputs().begin(), node.inputs().end());
  }
  return sources;
}

/// A tangent of a node's output, repeated where an input without one gave the output its shape.
Variable in_shape_of_output(const Variable& tangent, Apply& node,
                            std::span<const Variable> tangents) {
  const Variable& out = node.output(0);
  if (tangent.ndim() == out.ndim() && has_known_lengths(tangent.type()) &&
      tangent.static_shape() == out.static_shape())
    return tangent;
  std::unordered_set<Variable, VariableHash> ends = {out};
  ends.insert(node.inputs().begin(), node.inputs().end());
  for (const Variable& given : tangents)
    if (given) ends.insert(given);
  const auto sources = shape_sources(tangent, ends);
  bool has_shape = true;
  for (std::size_t i = 0; i < tangents.size() && !sources.contains(out); ++i) {
    const Variable& input = node.input(static_cast<int>(i));
    has_shape =
        has_shape && (sources.contains(input) || (tangents[i] && sources.contains(tangents[i])) ||
                      !may_enlarge(input, tangent));
  }
  return has_shape ? tangent : broadcast_to(tangent, shape(out), out.ndim());
}

Differential differential(Apply& node) {
  Differential d;
  d.x = node.input(0);
  if (node.n_inputs() > 1) d.y = node.input(1);
  if (node.n_inputs() > 2) d.z = node.input(2);
  d.out = node.output(0);
  return d;
}

}  // namespace

std::vector<Variable> gradients_by(GradientRule rule, Apply& node, const Variable& gradient) {
  std::vector<Variable> result(node.n_inputs());
  Differential d = differential(node);
  const CutGradient cut(gradient, d.out);
  d.g = cut.value();
  const Partials partials = rule(d);
  for (std::size_t i = 0; i < result.size(); ++i) {
    const Variable& x = node.input(static_cast<int>(i));
    if (!partials[i] || !is_inexact(x.dtype())) continue;
    const bool enlarged = std::ranges::any_of(
        node.inputs(), [&](const Variable& other) { return may_enlarge(other, x); });
    const Variable partial = cut.around(partials[i]);
    result[i] = enlarged ? fit_gradient(partial, x) : fit_gradient_dtype(partial, x);
  }
  return result;
}

std::optional<std::vector<Variable>> tangents_by(GradientRule rule, Apply& node,
                                                 std::span<const Variable> tangents) {
  const DType dtype = node.output(0).dtype();
  const auto is_of_complex = [](const Variable& v) { return is_complex(v.dtype()); };
  if (is_complex(dtype) || std::ranges::any_of(node.inputs(), is_of_complex)) return std::nullopt;
  Differential d = differential(node);
  Variable total;
  for (std::size_t i = 0; i < tangents.size(); ++i) {
    if (!tangents[i]) continue;
    const CutGradient cut(tangents[i]);
    d.g = cut.value();
    const Partials partials = rule(d);
    if (!partials[i]) continue;
    const Variable part = cut.around(partials[i]);
    total = total ? sum_of_gradients(total, part) : part;
  }
  if (total) total = in_shape_of_output(cast(total, dtype), node, tangents);
  return {{total}};
}

}  // namespace thunkvm
