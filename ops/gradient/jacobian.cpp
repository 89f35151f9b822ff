// jacobian.cpp: all rows of a derivative at once, by a batched backward pass.
#include "ops/gradient/gradient.h"
#include "ops/graph/functions.h"
#include "ops/graph/graph.h"
#include "thunks/error.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace thunkvm {
namespace {

// The rows as one batched pass: the identity comes in.
Variable batched_rows(const Variable& row, const Variable& one, const Variable& expression) {
  const Variable size = call_op("size", {expression});
  const Variable identity = call_op("eye", {size, size}, {{"dtype", expression.dtype()}});
  const Variable lengths = call_op("concatenate", {expand_dims(size, {0}), shape(expression)},
                                   {{"axis", std::int64_t{0}}});
  const Variable ones = reshape(identity, lengths, expression.ndim() + 1);
  const Batched rows = vectorize(std::span(&row, 1), std::span(&one, 1), std::span(&ones, 1), size);
  return rows.batched.front() ? rows.roots.front() : repeat_batch(row, size);
}

// The rows one by one: a one comes in at each element in turn.
Variable unrolled_rows(const Variable& row, const Variable& one, const Variable& expression,
                       const Variable& wrt) {
  const StaticShape& lengths = expression.static_shape();
  std::vector<Variable> rows;
  const std::int64_t size = Array::zeros(DType::Bool, lengths).size();
  for (std::int64_t i = 0; i < size; ++i) {
    const Array unit = Array::zeros(DType::Float64, lengths);
    unit.data_as<double>()[i] = 1.0;
    const Variable given = cast(Variable::constant(Cell::of_array(unit)), expression.dtype());
    const std::pair<Variable, Variable> replacement = {one, given};
    rows.push_back(substitute(std::span(&row, 1), std::span(&replacement, 1)).front());
  }
  if (rows.empty())
    return full(
        call_op("concatenate", {shape(expression), shape(wrt)}, {{"axis", std::int64_t{0}}}),
        weak_number(0.0), expression.ndim() + wrt.ndim(), wrt.dtype());
  return call_op("stack", std::span<const Variable>(rows), {{"axis", std::int64_t{0}}});
}

}  // namespace

Variable jacobian(const Variable& expression, const Variable& wrt) {
  if (!is_inexact(expression.dtype()) || !is_inexact(wrt.dtype()))
    throw Error(ErrorKind::Type, "[jacobian] both have to be of a floating dtype, but " +
                                     expression.text() + " is " + expression.type().text() +
                                     " and " + wrt.text() + " is " + wrt.type().text());
  if (is_complex(expression.dtype()))
    throw Error(ErrorKind::Type, "[jacobian] the expression has to be real, but " +
                                     expression.text() + " is " + expression.type().text() +
                                     "; differentiate its real and imaginary parts");
  const Variable one = Variable::input(expression.type_ref(), "output gradient");
  const Variable row =
      pull_back(std::span(&expression, 1), std::span(&one, 1), std::span(&wrt, 1)).front();
  const std::int64_t ndim = expression.ndim() + wrt.ndim();
  const auto both = [&] {
    return call_op("concatenate", {shape(expression), shape(wrt)}, {{"axis", std::int64_t{0}}});
  };
  if (!row) return full(both(), weak_number(0.0), ndim, wrt.dtype());
  // One row for each element of the expression: a batched backward pass where every Op on the way
  // has a rule for it, else one pass an element, if their number is known.
  Variable rows;
  try {
    rows = batched_rows(row, one, expression);
  } catch (const Error& error) {
    const auto& lengths = expression.static_shape();
    const bool known = std::find(lengths.begin(), lengths.end(), kUnknownLength) == lengths.end();
    if (error.kind() != ErrorKind::NotImplemented || !known) throw;
    rows = unrolled_rows(row, one, expression, wrt);
  }
  return expression.ndim() == 1 ? rows : reshape(rows, both(), ndim);
}

}  // namespace thunkvm
