// inverses.cpp: nodes that undo another one, or change nothing, exactly.
#include "ops/graph/functions.h"
#include "ops/rewrites/rewrite.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <string>
#include <type_traits>
#include <unordered_map>

namespace thunkvm {
namespace {

/// Whether an array lies in memory as an elementwise node of it would: in C order, with memory of
/// its own.
bool is_laid_out_plainly(const Variable& x) {
  if (x.ndim() == 0) return true;
  const Apply& node = *x.node();
  return node.op() != nullptr && node.op()->registered() &&
         node.op()->element_code(node) != nullptr;
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

enum class Kind : std::uint8_t {
  Other,
  Involution,
  Add,
  Subtract,
  Multiply,
  Divide,
  Power,
  Transpose,
  ExpandDims,
  Squeeze,
};

Kind kind_of(const Op& op) {
  static const std::unordered_map<std::string, Kind> kinds = {{"neg", Kind::Involution},
                                                              {"conj", Kind::Involution},
                                                              {"invert", Kind::Involution},
                                                              {"logical_not", Kind::Involution},
                                                              {"add", Kind::Add},
                                                              {"sub", Kind::Subtract},
                                                              {"mul", Kind::Multiply},
                                                              {"true_div", Kind::Divide},
                                                              {"pow", Kind::Power},
                                                              {"transpose", Kind::Transpose},
                                                              {"expand_dims", Kind::ExpandDims},
                                                              {"squeeze", Kind::Squeeze}};
  if (!op.registered()) return Kind::Other;
  const auto found = kinds.find(op.name());
  return found == kinds.end() ? Kind::Other : found->second;
}

class Inverses final : public Rewrite {
 public:
  std::string_view name() const override { return "inverses"; }

  Variable stand_in(const Candidate& candidate) override {
    const Op& op = *candidate.node.op();
    const Kind kind = known_kind(op);
    if (kind == Kind::Other) return {};
    const Variable& x = candidate.inputs[0];
    switch (kind) {
      case Kind::Involution: {
        // Two in a row have one type: else the driver refuses (logical_not of a number).
        const Apply& inner = *x.node();
        if (inner.op() != &op) return {};
        return is_laid_out_plainly(inner.input(0)) ? inner.input(0) : Variable();
      }
      case Kind::Transpose:
      case Kind::Squeeze: return undo_axes(kind, op, candidate.node, *x.node());
      case Kind::Other:
      case Kind::ExpandDims: return {};
      default: break;
    }
    const Variable& y = candidate.inputs[1];
    const Variable kept = without_neutral(kind, x, y);
    return kept && is_laid_out_plainly(kept) ? kept : Variable();
  }

 private:
  Kind known_kind(const Op& op) {
    if (&op == last_) return last_kind_;
    const auto [known, is_new] = kinds_.try_emplace(&op, Kind::Other);
    if (is_new) known->second = kind_of(op);
    last_ = &op;
    return last_kind_ = known->second;
  }

  // The operand that the other one leaves as it is; null where that is not certain. A 0-d constant
  // cannot enlarge it; that it has the result's dtype the driver checks.
  static Variable without_neutral(Kind kind, const Variable& x, const Variable& y) {
    const DType dtype = x.dtype();
    if (y.dtype() != dtype) return {};
    switch (kind) {
      case Kind::Multiply: return is_number(y, 1) ? x : is_number(x, 1) ? y : Variable();
      case Kind::Divide: return is_number(y, 1) ? x : Variable();
      case Kind::Subtract: return is_number(y, 0) ? x : Variable();
      case Kind::Add:
        if (!is_integral(dtype)) return {};
        return is_number(y, 0) ? x : is_number(x, 0) ? y : Variable();
      case Kind::Power: return is_integral(dtype) && is_number(y, 1) ? x : Variable();
      default: return {};
    }
  }

  Variable undo_axes(Kind kind, const Op& op, const Apply& node, const Apply& inner) {
    if (inner.op() == nullptr) return {};
    const Variable& x = inner.input(0);
    if (kind == Kind::Transpose) {
      if (known_kind(*inner.op()) != Kind::Transpose) return {};
      // `node` may be a node whose inputs changed; its Op and its number of axes did not.
      Axes order = order_of(node);
      const Axes inner_order = order_of(inner);
      for (std::int64_t& axis : order) axis = inner_order[static_cast<std::size_t>(axis)];
      return transpose(x, order);
    }
    if (known_kind(*inner.op()) != Kind::ExpandDims) return {};
    const int ndim = inner.output_type(0).tensor()->ndim();
    const auto dropped = sorted_axes(op, ndim), added = sorted_axes(*inner.op(), ndim);
    return dropped && dropped == added ? x : Variable();
  }

  std::unordered_map<const Op*, Kind> kinds_;
  const Op* last_ = nullptr;
  Kind last_kind_ = Kind::Other;
};

}  // namespace

std::unique_ptr<Rewrite> inverses_rewrite() { return std::make_unique<Inverses>(); }

}  // namespace thunkvm
