// systems.h: the common parts of the Ops that solve a x = b: shapes, checks and gradients.
#pragma once

#include "ops/graph/declaration.h"
#include "ops/graph/extents.h"
#include "ops/linalg/factors.h"
#include "thunks/lengths.h"

#include <algorithm>
#include <array>
#include <functional>
#include <string>
#include <vector>

namespace thunkvm {

/// The right-hand sides as matrices, the shape of the result, and the stack that both make
/// together.
struct System {
  Array a, b;
  std::vector<std::int64_t> batch, shape;
  std::int64_t n, k;

  System(const char* op, const Array& matrix, const Array& sides)
      : a(matrix), b(sides.ndim() == 1 ? as_column(sides) : sides) {
    require_square(op, a);
    n = a.length(a.ndim() - 1);
    k = b.length(b.ndim() - 1);
    if (b.length(b.ndim() - 2) != n)
      throw Error(
          ErrorKind::Value,
          "[" + std::string(op) +
              "] Input operand 1 has a mismatch in its core dimension 0, with gufunc signature " +
              (sides.ndim() == 1 ? "(m,m),(m)->(m)" : "(m,m),(m,n)->(m,n)") + " (size " +
              std::to_string(b.length(b.ndim() - 2)) + " is different from " + std::to_string(n) +
              "): a has shape " + format_shape(a.shape()) + ", b " + format_shape(sides.shape()));
    batch = broadcast_shapes(std::array{MatrixStack(a).batch, MatrixStack(b).batch}, op);
    shape = batch;
    shape.push_back(n);
    if (sides.ndim() > 1) shape.push_back(k);
  }
};

/// Copies right-hand sides into C order.
template <class T>
void copy_sides(const char* from, const MatrixStack& b, std::int64_t n, std::int64_t k, T* to) {
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < k; ++j)
      to[i * k + j] = *reinterpret_cast<const T*>(from + i * b.row_stride + j * b.column_stride);
}

/// An Op that solves a x = b for x.
class SystemOp : public MatrixOp {
 public:
  using MatrixOp::MatrixOp;

  std::vector<Variable> call(std::span<const Variable> inputs) const override {
    expect_inputs(inputs, 2);
    Variable checked[] = {inexact(inputs[0]), inexact(inputs[1])};
    const DType dtype = common_dtype(checked);
    for (Variable& input : checked) input = cast_now(input, dtype);
    const Variable &a = checked[0], &b = checked[1];
    expect_square(a);
    if (b.ndim() == 0) fail(ErrorKind::Value, "b must be a vector or matrices, but is 0-d");
    const StaticShape &square = a.static_shape(), &sides = b.static_shape();
    const std::int64_t rows_b = sides.size() == 1 ? sides[0] : sides[sides.size() - 2];
    const std::int64_t rows_a = std::max(square.back(), square[square.size() - 2]);
    if (rows_a >= 0 && rows_b >= 0 && rows_a != rows_b)
      fail(ErrorKind::Value, "a is a " + a.type().text() + " and b a " + b.type().text() +
                                 ": they must have as many rows");
    const auto batch_of = [](const StaticShape& shape) {
      return shape.size() <= 2 ? StaticShape{} : StaticShape(shape.begin(), shape.end() - 2);
    };
    StaticShape shape = broadcast_static(name(), batch_of(square), batch_of(sides));
    shape.push_back(std::max(rows_a, rows_b));
    if (sides.size() > 1) shape.push_back(sides.back());
    return {Apply::make1(*this, checked, TensorType::of(dtype, shape))};
  }

  std::vector<Extents> infer_shape(Apply&, std::span<const Extents> input_shapes) const override {
    const Extents &a = input_shapes[0], &b = input_shapes[1];
    const Extents stacks[] = {stack_extents(a), stack_extents(b)};
    Extents shape = broadcast_extents(stacks);
    shape.push_back(a.back());
    if (b.size() > 1) shape.push_back(b.back());
    return {shape};
  }

  std::vector<Variable> batch(Apply& node, std::span<const Variable> inputs,
                              const std::vector<bool>& batched) const override {
    const int a_ndim = node.input(0).ndim(), b_ndim = node.input(1).ndim();
    const bool is_vector = b_ndim == 1;
    if (is_vector && !batched[0] && a_ndim == 2)
      // One matrix, many right-hand sides: they are the columns of one.
      return {matrix_transpose(apply(inputs[0], matrix_transpose(inputs[1])))};
    const int ndim = std::max(a_ndim, b_ndim + (is_vector ? 1 : 0));
    const Variable columns = is_vector ? add_last(inputs[1]) : inputs[1];
    const Variable x =
        apply(line_up(inputs[0], batched[0], ndim), line_up(columns, batched[1], ndim));
    return {is_vector ? drop_last(x) : x};
  }

 protected:
  Variable apply(const Variable& a, const Variable& b) const {
    return call_op(name(), {a, b}, attributes());
  }

  /// The gradients where `solve_back` solves the transpose of a system and `to_matrix` restricts
  /// that of a to what was read.
  std::vector<Variable> grad_of(
      Apply& node, const Variable& g, bool transposed,
      const std::function<Variable(const Variable& a, const Variable& g)>& solve_back,
      const std::function<Variable(const Variable&)>& to_matrix) const {
    if (!g) return {Variable(), Variable()};
    const Variable &a = node.input(0), &b = node.input(1);
    const bool is_vector = b.ndim() == 1;
    const Variable x = is_vector ? add_last(node.output(0)) : node.output(0);
    const Variable to_sides = solve_back(conjugate(a), is_vector ? add_last(g) : g);
    // The gradient of a^T x = b is the transpose of that of a x = b.
    const Variable outer = transposed ? matmul(conjugate(x), matrix_transpose(to_sides))
                                      : matmul(to_sides, adjoint(x));
    Variable to_a = to_matrix(neg(outer));
    if (to_a.ndim() > 2) to_a = unbroadcast(to_a, shape(a), a.ndim());
    Variable to_b = to_sides;
    if (to_b.ndim() > 2) {
      const Variable sides = is_vector ? add_last(b) : b;
      to_b = unbroadcast(to_b, shape(sides), sides.ndim());
    }
    return {to_a, is_vector ? drop_last(to_b) : to_b};
  }
};

}  // namespace thunkvm
