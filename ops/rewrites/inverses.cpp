// inverses.cpp: nodes that undo another one, or change nothing, exactly.
#include "ops/graph/functions.h"
#include "ops/graph/registry.h"
#include "ops/rewrites/rewrite.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <type_traits>

namespace thunkvm {
namespace {

/// Whether an array lies in memory as an elementwise node of it would: in C order, with memory of
/// its own.
bool is_laid_out_plainly(const Variable& x) {
  if (x.ndim() == 0) return true;
  const Apply& node = *x.node();
  return node.op() != nullptr && node.op()->is_plain() && node.op()->element_code(node) != nullptr;
}

/// Whether this is a 0-d constant of a real number. 0 is +0.0.
bool is_number(const Variable& v, int number) {
  if (!v.is_constant() || !v.constant_value().is_scalar()) return false;
  const Cell& value = v.constant_value();
  return visit_dtype(value.dtype(), "is_number", [&]<class T>(std::type_identity<T>) {
    if constexpr (std::is_same_v<T, Complex64> || std::is_same_v<T, Complex128>) {
      return false;
    } else if constexpr (std::is_integral_v<T>) {
      return value.get<T>() == static_cast<T>(number);
    } else {
      using Real = std::conditional_t<std::is_same_v<T, double>, double, float>;
      const auto real = static_cast<Real>(value.get<T>());
      return real == static_cast<Real>(number) && !std::signbit(real);
    }
  });
}

/// Axes counted from the front.
Axes from_front(const Axes& axes, int ndim) {
  Axes normal = axes;
  for (std::int64_t& axis : normal)
    if (axis < 0) axis += ndim;
  return normal;
}

/// Axis i of a transpose's output is its input's axis order[i].
Axes order_of(const Apply& transpose) {
  const int ndim = transpose.output_type(0).tensor()->ndim();
  if (const auto axes = transpose.op()->attributes().find<Axes>("axes"))
    return from_front(*axes, ndim);
  Axes reversed(static_cast<std::size_t>(ndim));
  std::iota(reversed.rbegin(), reversed.rend(), 0);
  return reversed;
}

/// An `axis` attribute of axes of an array of `ndim`, in order.
std::optional<Axes> sorted_axes(const Op& op, int ndim) {
  const auto axes = op.attributes().find<Axes>("axis");
  if (!axes) return std::nullopt;
  Axes sorted = from_front(*axes, ndim);
  std::ranges::sort(sorted);
  return sorted;
}

/// The algebra of an Op; nothing of one that is not from the registry.
const Algebra& algebra_of(const Op* op) {
  static const Algebra none;
  return op == nullptr || !op->is_plain() ? none : op->proto()->algebra;
}

/// The operand that the other one leaves as it is; null where that is not certain. A 0-d constant
/// cannot enlarge it; that it has the result's dtype the driver checks.
Variable without_neutral(const Algebra::Neutral& neutral, const Variable& x, const Variable& y) {
  if (y.dtype() != x.dtype() || (neutral.of_integers_only && !is_integral(x.dtype()))) return {};
  if (is_number(y, neutral.number)) return x;
  return neutral.commutes && is_number(x, neutral.number) ? y : Variable();
}

/// Two nodes that order axes are one. The inputs of `node` alone may have changed: its Op and its
/// number of axes did not.
Variable composed(const Apply& node, const Apply& inner) {
  Axes order = order_of(node);
  const Axes inner_order = order_of(inner);
  for (std::int64_t& axis : order) axis = inner_order[static_cast<std::size_t>(axis)];
  return transpose(inner.input(0), order);
}

class Inverses final : public Rewrite {
 public:
  std::string_view name() const override { return "inverses"; }

  Variable replacement(const Candidate& candidate) override {
    const Op& op = *candidate.node.op();
    const Algebra& algebra = algebra_of(&op);
    if (algebra.neutral) {
      const Variable kept =
          without_neutral(*algebra.neutral, candidate.inputs[0], candidate.inputs[1]);
      return kept && is_laid_out_plainly(kept) ? kept : Variable();
    }
    if (!algebra.is_involution && algebra.axes == Algebra::Axes::None) return {};
    const Apply& inner = *candidate.inputs[0].node();
    if (algebra.is_involution) {
      // Two in a row have one type: else the driver refuses (logical_not of a number).
      if (inner.op() != &op) return {};
      return is_laid_out_plainly(inner.input(0)) ? inner.input(0) : Variable();
    }
    const Algebra::Axes before = algebra_of(inner.op()).axes;
    if (algebra.axes == Algebra::Axes::Ordered && before == Algebra::Axes::Ordered)
      return composed(candidate.node, inner);
    if (algebra.axes == Algebra::Axes::Dropped && before == Algebra::Axes::Added) {
      const int ndim = inner.output_type(0).tensor()->ndim();
      const auto dropped = sorted_axes(op, ndim), added = sorted_axes(*inner.op(), ndim);
      return dropped && dropped == added ? inner.input(0) : Variable();
    }
    return {};
  }
};

}  // namespace

std::unique_ptr<Rewrite> inverses_rewrite() { return std::make_unique<Inverses>(); }

}  // namespace thunkvm
