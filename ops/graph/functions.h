// functions.h: the built-in Ops as C++ functions, for gradients, batching rules and C++ front ends.
#pragma once

#include "ops/graph/registry.h"

#include <span>
#include <vector>

namespace thunkvm {

using Axes = std::vector<std::int64_t>;

// Arithmetic (elementwise, broadcasting).
inline Variable add(const Variable& a, const Variable& b) { return call_op("add", {a, b}); }
inline Variable sub(const Variable& a, const Variable& b) { return call_op("sub", {a, b}); }
inline Variable mul(const Variable& a, const Variable& b) { return call_op("mul", {a, b}); }
inline Variable true_div(const Variable& a, const Variable& b) {
  return call_op("true_div", {a, b});
}
inline Variable pow(const Variable& a, const Variable& b) { return call_op("pow", {a, b}); }
inline Variable neg(const Variable& a) { return call_op("neg", {a}); }
inline Variable where(const Variable& c, const Variable& a, const Variable& b) {
  return call_op("where", {c, a, b});
}
inline Variable square(const Variable& a) { return call_op("square", {a}); }
inline Variable exp(const Variable& a) { return call_op("exp", {a}); }
inline Variable log(const Variable& a) { return call_op("log", {a}); }
inline Variable sqrt(const Variable& a) { return call_op("sqrt", {a}); }
inline Variable eq(const Variable& a, const Variable& b) { return call_op("eq", {a, b}); }
inline Variable lt(const Variable& a, const Variable& b) { return call_op("lt", {a, b}); }
inline Variable le(const Variable& a, const Variable& b) { return call_op("le", {a, b}); }
inline Variable gt(const Variable& a, const Variable& b) { return call_op("gt", {a, b}); }
inline Variable ge(const Variable& a, const Variable& b) { return call_op("ge", {a, b}); }

/// A Python-like number, whose dtype yields to what it is combined with.
inline Variable weak_number(double value) { return Variable::constant(Cell::of(value), true); }
inline Variable weak_integer(std::int64_t value) {
  return Variable::constant(Cell::of(value), true);
}

// Formulas as one writes them; a C++ number is weak.
inline Variable operator-(const Variable& a) { return neg(a); }
inline Variable operator+(const Variable& a, const Variable& b) { return add(a, b); }
inline Variable operator-(const Variable& a, const Variable& b) { return sub(a, b); }
inline Variable operator*(const Variable& a, const Variable& b) { return mul(a, b); }
inline Variable operator/(const Variable& a, const Variable& b) { return true_div(a, b); }
inline Variable operator+(const Variable& a, double b) { return add(a, weak_number(b)); }
inline Variable operator+(double a, const Variable& b) { return add(weak_number(a), b); }
inline Variable operator-(const Variable& a, double b) { return sub(a, weak_number(b)); }
inline Variable operator-(double a, const Variable& b) { return sub(weak_number(a), b); }
inline Variable operator*(const Variable& a, double b) { return mul(a, weak_number(b)); }
inline Variable operator*(double a, const Variable& b) { return mul(weak_number(a), b); }
inline Variable operator/(const Variable& a, double b) { return true_div(a, weak_number(b)); }
inline Variable operator/(double a, const Variable& b) { return true_div(weak_number(a), b); }

inline Variable cast(const Variable& x, DType dtype) {
  return x.dtype() == dtype ? x : call_op("cast", {x}, {{"dtype", dtype}});
}

// Reductions; no axes: all of them.
inline Attributes reduction_attributes(const Axes* axes, bool keepdims) {
  Attributes attrs;
  if (axes != nullptr) attrs.set("axis", *axes);
  attrs.set("keepdims", keepdims);
  return attrs;
}
inline Variable sum(const Variable& x) {
  return call_op("sum", {x}, reduction_attributes(nullptr, false));
}
inline Variable sum(const Variable& x, const Axes& axes, bool keepdims = false) {
  return call_op("sum", {x}, reduction_attributes(&axes, keepdims));
}

// Shapes. A shape is an int64 vector.
inline Variable shape(const Variable& x) { return call_op("shape", {x}); }
/// `ndim`: how many lengths `shape` has.
inline Variable reshape(const Variable& x, const Variable& shape, std::int64_t ndim) {
  return call_op("reshape", {x, shape}, {{"ndim", ndim}});
}
inline Variable broadcast_to(const Variable& x, const Variable& shape, std::int64_t ndim) {
  return call_op("broadcast_to", {x, shape}, {{"ndim", ndim}});
}
/// Sums `x` down to `shape`, undoing a broadcast; `x` itself where the shapes are equal.
inline Variable unbroadcast(const Variable& x, const Variable& shape, std::int64_t ndim) {
  return call_op("unbroadcast", {x, shape}, {{"ndim", ndim}});
}
inline Variable transpose(const Variable& x, const Axes& axes) {
  return call_op("transpose", {x}, {{"axes", axes}});
}
/// Inserts axes of length 1 at these positions of the result.
inline Variable expand_dims(const Variable& x, const Axes& axes) {
  return call_op("expand_dims", {x}, {{"axis", axes}});
}
/// Drops these axes, which have length 1.
inline Variable squeeze(const Variable& x, const Axes& axes) {
  return call_op("squeeze", {x}, {{"axis", axes}});
}

/// The row of `x` at a 0-d position along its first axis.
inline Variable row(const Variable& x, const Variable& position) {
  return call_op("subtensor", {x, position}, {{"index", std::vector<std::string>{"?"}}});
}

// Creation.
/// An input of the same type and name.
inline Variable leaf_like(const Variable& v) { return Variable::input(v.type_ref(), v.name()); }
inline Variable full(const Variable& shape, const Variable& value, std::int64_t ndim, DType dtype) {
  return call_op("full", {shape, value}, {{"ndim", ndim}, {"dtype", dtype}});
}

// Linear algebra, with NumPy's batch axes.
inline Variable matmul(const Variable& a, const Variable& b) { return call_op("matmul", {a, b}); }

/// Zeros with the shape of `x`; a constant where that shape is known.
Variable zeros_like(const Variable& x);
Variable ones_like(const Variable& x);

/// `gradient` summed down to the shape of `x` where broadcasting may have enlarged it, and cast to
/// its dtype.
Variable fit_gradient(const Variable& gradient, const Variable& x);
/// `gradient` cast to the dtype of `x`, whose shape it has; of a complex one the real part, where
/// `x` is real.
Variable fit_gradient_dtype(const Variable& gradient, const Variable& x);

/// `x` with a new leading axis along which it is repeated `length` times (a view).
Variable repeat_batch(const Variable& x, const Variable& length);

/// For batching rules of Ops that broadcast: every batched input with its batch axis first and then
/// as many axes as the largest node input has, so that broadcasting lines the batch axes up. An
/// input that is not batched is left as it is: broadcasting needs no axis of it.
std::vector<Variable> align_batch(Apply& node, std::span<const Variable> inputs,
                                  const std::vector<bool>& batched);

}  // namespace thunkvm
