// jacobian.cpp: all rows of a derivative at once, by a batched backward pass.
#include "ops/gradient/gradient.h"
#include "ops/graph/functions.h"
#include "ops/graph/graph.h"
#include "thunks/error.h"

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
  const Variable rows = batched_rows(row, one, expression);
  return expression.ndim() == 1 ? rows : reshape(rows, both(), ndim);
}

}  // namespace thunkvm
