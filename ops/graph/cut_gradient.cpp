#include "ops/graph/cut_gradient.h"

#include "ops/graph/extents.h"
#include "ops/graph/functions.h"
#include "ops/graph/limits.h"
#include "ops/graph/op.h"
#include "thunks/cast.h"

#include <algorithm>

namespace thunkvm {
namespace {

bool is_zero(const Variable& x) {
  return x.is_constant() && x.ndim() == 0 &&
         cast_cell(x.constant_value(), DType::Complex128).get<Complex128>() == 0.0;
}

/// True for a tensor of zeros as `zeros_like` makes it, and for the number 0.
bool is_made_of_zeros(const Variable& x) {
  static const OpProto* const full_tensor = &OpRegistry::proto("full");
  if (!x.is_constant()) {
    const Apply& node = *x.node();
    return node.op() != nullptr && node.op()->proto() == full_tensor && is_zero(node.input(1));
  }
  if (is_zero(x)) return true;
  if (!x.constant_value().is_array()) return false;
  const Array all = x.constant_value().array();
  const auto is_still = [](std::int64_t stride) { return stride == 0; };
  return all.size() > 0 && std::ranges::all_of(all.strides(), is_still) &&
         cast_cell(Cell::of_array(all.view({}, {}, all.data())), DType::Complex128)
                 .to_array()
                 .data_as<Complex128>()[0] == 0.0;
}

/// True for a node whose elements are sums of elements of its inputs of floats: it is linear in
/// one, or in all of them at once. A product is not such a node.
bool moves_elements(const Apply& node) {
  const Linearity linearity = node.op()->linearity();
  const auto is_moved = [](const Variable& input) {
    const TensorType* const type = input.type().tensor();
    return type != nullptr && is_inexact(type->dtype());
  };
  return linearity == Linearity::Together ||
         (linearity == Linearity::Each && std::ranges::count_if(node.inputs(), is_moved) == 1);
}

/// How many taken elements were added up to each element of a gradient, or nothing where all were
/// taken. It looks at no more than `budget` nodes.
Variable taken_count(const Variable& gradient, std::size_t& budget) {
  static const OpProto* const addition = &OpRegistry::proto("add");
  static const OpProto* const casting = &OpRegistry::proto("cast");
  if (budget == 0) return {};
  --budget;
  const auto ones = [](const Variable& like) {
    return full(shape(like), Variable::number(1.0), like.ndim(), DType::Float64);
  };
  const CutGradient cut(gradient);
  if (cut.is_cut()) {
    const Variable inside = taken_count(cut.value(), budget);
    return cut.around(inside ? inside : ones(cut.value()));
  }
  Apply& node = *gradient.node();
  if (node.op() == nullptr || !node.op()->is_plain() || node.n_outputs() != 1) return {};
  if (node.op()->proto() == casting) return taken_count(node.input(0), budget);
  if (node.op()->proto() != addition && !moves_elements(node)) return {};
  const bool is_written = node.op()->linearity() == Linearity::Together;
  std::vector<Variable> inputs(node.inputs().begin(), node.inputs().end());
  bool has_cut = false;
  for (Variable& input : inputs) {
    if (!is_inexact(input.dtype())) continue;
    if (is_written && is_made_of_zeros(input)) {
      input = cast(input, DType::Float64);
      has_cut = true;
      continue;
    }
    const Variable count = taken_count(input, budget);
    has_cut = has_cut || count;
    input = count ? count : ones(input);
  }
  return has_cut ? node.op()->call(inputs).front() : Variable();
}

}  // namespace

CutGradient::CutGradient(const Variable& gradient) : gradient_(gradient), value_(gradient) {
  strip();
}

CutGradient::CutGradient(const Variable& gradient, const Variable& of) : CutGradient(gradient) {
  if (value_.node()->op() == nullptr || !may_have_infinite_slope(of)) return;
  std::size_t budget = kNodesAboveAnIndex;
  if (const Variable count = taken_count(value_, budget))
    cuts_.push_back({gt(count, weak_integer(0)), true});
}

void CutGradient::strip() {
  for (;;) {
    const Apply& node = *value_.node();
    if (node.op() == nullptr || node.op()->proto() == nullptr ||
        !node.op()->proto()->algebra.selects)
      return;
    const Variable condition = node.input(0), first = node.input(1), second = node.input(2);
    if (is_zero(second))
      cuts_.push_back({condition, true}), value_ = first;
    else if (is_zero(first))
      cuts_.push_back({condition, false}), value_ = second;
    else
      return;
  }
}

Variable CutGradient::around(const Variable& partial) const {
  if (partial == value_) return gradient_;
  Variable whole = partial;
  const Variable zero = weak_number(0.0);
  for (auto cut = cuts_.rbegin(); cut != cuts_.rend(); ++cut)
    whole = cut->value ? where(cut->condition, whole, zero) : where(cut->condition, zero, whole);
  return whole;
}

Variable CutGradient::taken() const {
  Variable all;
  for (const Cut& cut : cuts_) {
    const Variable one = cut.value ? cut.condition : call_op("logical_not", {cut.condition});
    all = all ? call_op("logical_and", {all, one}) : one;
  }
  return all;
}

bool may_have_infinite_slope(const Variable& x) {
  std::vector<const Apply*> ways = {x.node()};
  for (std::size_t i = 0; i < ways.size() && i < kNodesAboveAnIndex; ++i) {
    const Op* const op = ways[i]->op();
    if (op == nullptr || op->element_code(*ways[i]) == nullptr) continue;
    if (op->proto() != nullptr && op->proto()->is_singular) return true;
    for (const Variable& input : ways[i]->inputs()) ways.push_back(input.node());
  }
  return false;
}

Variable cut_to(const Variable& gradient, const Variable& taken) {
  return where(taken, gradient, weak_number(0.0));
}

Variable nothing_taken(const Variable& x) {
  return full(shape(x), Variable::constant(Cell::of(false)), x.ndim(), DType::Bool);
}

Variable sum_of_gradients(const Variable& a, const Variable& b) {
  const CutGradient cut_a(a), cut_b(b);
  if (!cut_a.is_cut() || !cut_b.is_cut()) return add(a, b);
  if (cut_a.has_cuts_of(cut_b)) return cut_a.around(add(cut_a.value(), cut_b.value()));
  const Variable either = call_op("logical_or", {cut_a.taken(), cut_b.taken()});
  return where(either, add(a, b), weak_number(0.0));
}

}  // namespace thunkvm
