// linear_algebra.cpp: the common parts of Ops over matrices.
#include "ops/linalg/linear_algebra.h"

#include <limits>

namespace thunkvm {

Array as_row(const Array& x) {
  const std::int64_t shape[] = {1, x.length(0)};
  const std::int64_t strides[] = {0, x.stride(0)};
  return x.view(shape, strides, x.data());
}

Array as_column(const Array& x) {
  const std::int64_t shape[] = {x.length(0), 1};
  const std::int64_t strides[] = {x.stride(0), 0};
  return x.view(shape, strides, x.data());
}

Variable MatrixOp::inexact(const Variable& input) const {
  if (input.dtype() == DType::Float16)
    fail(ErrorKind::Type, "array type float16 is unsupported in linear algebra: cast " +
                              input.text() + " to float32");
  return is_inexact(input.dtype()) ? input : cast_now(input, DType::Float64);
}

void MatrixOp::expect_square(const Variable& a) const {
  if (a.ndim() < 2)
    fail(ErrorKind::LinAlg,
         std::to_string(a.ndim()) +
             "-dimensional array given. Array must be at least two-dimensional: a is a " +
             a.type().text());
  const StaticShape& shape = a.static_shape();
  const std::int64_t rows = shape[shape.size() - 2], columns = shape[shape.size() - 1];
  if (rows >= 0 && columns >= 0 && rows != columns)
    fail(ErrorKind::LinAlg,
         "Last 2 dimensions of the array must be square, but a is a " + a.type().text());
}

Variable matrix_transpose(const Variable& x) {
  Axes axes = axis_range(0, x.ndim());
  std::swap(axes[axes.size() - 1], axes[axes.size() - 2]);
  return transpose(x, axes);
}

Variable adjoint(const Variable& x) { return matrix_transpose(conjugate(x)); }

Variable drop_last(const Variable& x) { return squeeze(x, {x.ndim() - 1}); }
Variable add_last(const Variable& x) { return expand_dims(x, {x.ndim()}); }

Variable line_up(const Variable& x, bool batched, int ndim) {
  if (!batched || x.ndim() > ndim) return x;
  return expand_dims(x, axis_range(1, ndim + 2 - x.ndim()));
}

int blas_length(const char* op, std::int64_t length) {
  if (length > std::numeric_limits<int>::max())
    throw Error(ErrorKind::Value, "[" + std::string(op) + "] an axis of length " +
                                      std::to_string(length) +
                                      " is more than BLAS can count (2147483647)");
  return static_cast<int>(length);
}

void require_square(const char* op, const Array& a) {
  if (a.length(a.ndim() - 1) != a.length(a.ndim() - 2))
    throw Error(ErrorKind::LinAlg,
                "[" + std::string(op) +
                    "] Last 2 dimensions of the array must be square, but a has shape " +
                    format_shape(a.shape()));
}

void fail_singular(const char* op, const char* factor, int k, const Array& a) {
  const std::string at = std::to_string(k - 1);
  throw Error(ErrorKind::LinAlg,
              "[" + std::string(op) + "] the matrix is singular: " + factor + "[" + at + ", " + at +
                  "] is exactly zero (shape " + format_shape(a.shape()) +
                  "). Its rows are linearly dependent: check that no two are multiples "
                  "of each other, or add a small multiple of the identity");
}

}  // namespace thunkvm
