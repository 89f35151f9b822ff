// jacobian.cpp: all rows of a derivative, or all columns, at once, by one batched pass.
#include "ops/gradient/gradient.h"
#include "ops/gradient/push_forward.h"
#include "ops/graph/functions.h"
#include "ops/graph/graph.h"
#include "thunks/error.h"

#include <numeric>
#include <vector>

namespace thunkvm {
namespace {

void check_real(const Variable& expression, const Variable& wrt) {
  if (!is_inexact(expression.dtype()) || !is_inexact(wrt.dtype()))
    throw Error(ErrorKind::Type, "[jacobian] both have to be of a floating dtype, but " +
                                     expression.text() + " is " + expression.type().text() +
                                     " and " + wrt.text() + " is " + wrt.type().text());
  if (is_complex(expression.dtype()))
    throw Error(ErrorKind::Type, "[jacobian] the expression has to be real, but " +
                                     expression.text() + " is " + expression.type().text() +
                                     "; differentiate its real and imaginary parts");
}

Variable lengths_of_both(const Variable& first, const Variable& second) {
  return call_op("concatenate", {shape(first), shape(second)}, {{"axis", std::int64_t{0}}});
}

// `product`, which is linear in `vector`, with each unit vector of the shape of `of` in its place:
// one batched pass, in which the identity comes in.
Variable at_unit_vectors(const Variable& product, const Variable& vector, const Variable& of) {
  const Variable size = call_op("size", {of});
  const Variable identity = call_op("eye", {size, size}, {{"dtype", of.dtype()}});
  const Variable lengths =
      call_op("concatenate", {expand_dims(size, {0}), shape(of)}, {{"axis", std::int64_t{0}}});
  const Variable units = reshape(identity, lengths, of.ndim() + 1);
  const Batched all =
      vectorize(std::span(&product, 1), std::span(&vector, 1), std::span(&units, 1), size);
  return all.batched.front() ? all.roots.front() : repeat_batch(product, size);
}

Variable no_derivative(const Variable& expression, const Variable& wrt) {
  return full(lengths_of_both(expression, wrt), weak_number(0.0), expression.ndim() + wrt.ndim(),
              wrt.dtype());
}

}  // namespace

Variable jacobian(const Variable& expression, const Variable& wrt) {
  check_real(expression, wrt);
  const Variable one = Variable::input(expression.type_ref(), "output gradient");
  const Variable row =
      pull_back(std::span(&expression, 1), std::span(&one, 1), std::span(&wrt, 1)).front();
  if (!row) return no_derivative(expression, wrt);
  const Variable rows = at_unit_vectors(row, one, expression);
  return expression.ndim() == 1
             ? rows
             : reshape(rows, lengths_of_both(expression, wrt), expression.ndim() + wrt.ndim());
}

Variable forward_jacobian(const Variable& expression, const Variable& wrt) {
  check_real(expression, wrt);
  const Variable one = Variable::input(wrt.type_ref(), "tangent");
  const Variable column =
      push_forward(std::span(&expression, 1), std::span(&wrt, 1), std::span(&one, 1)).front();
  if (!column) return no_derivative(expression, wrt);
  const Variable columns = at_unit_vectors(column, one, wrt);
  Axes order(static_cast<std::size_t>(columns.ndim()) - 1);
  std::iota(order.begin(), order.end(), 1);
  order.push_back(0);
  const Variable last = transpose(columns, order);
  return wrt.ndim() == 1
             ? last
             : reshape(last, lengths_of_both(expression, wrt), expression.ndim() + wrt.ndim());
}

}  // namespace thunkvm
