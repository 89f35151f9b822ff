#include "ops/graph/cut_gradient.h"

#include "ops/graph/extents.h"
#include "ops/graph/functions.h"
#include "ops/graph/limits.h"
#include "ops/graph/op.h"
#include "thunks/cast.h"

namespace thunkvm {
namespace {

/// True for a node that `unbroadcast` makes.
bool is_unbroadcast(const Apply& node) {
  static const OpProto* const made_from = &OpRegistry::proto("unbroadcast");
  return node.op() != nullptr && node.op()->proto() == made_from;
}

bool is_zero(const Variable& x) {
  return x.is_constant() && x.ndim() == 0 &&
         cast_cell(x.constant_value(), DType::Complex128).get<Complex128>() == 0.0;
}

}  // namespace

CutGradient::CutGradient(const Variable& gradient) : gradient_(gradient), value_(gradient) {
  strip();
}

CutGradient::CutGradient(const Variable& gradient, const Variable& of) : CutGradient(gradient) {
  const Apply& sum = *gradient.node();
  if (is_cut() || !is_unbroadcast(sum)) return;
  const CutGradient before(sum.input(0));
  if (!before.is_cut() || !may_have_infinite_slope(of)) return;
  const Variable& value = before.value();
  const Variable ones = full(shape(value), extent(1), value.ndim(), DType::Int64);
  const Variable taken = unbroadcast(before.around(ones), sum.input(1), gradient.ndim());
  cuts_.push_back({gt(taken, weak_integer(0)), true});
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
