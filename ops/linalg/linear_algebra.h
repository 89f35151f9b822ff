// linear_algebra.h: the common parts of Ops over matrices: stacks of matrices, their checks and
// their batching.
#pragma once

#include "ops/graph/array_op.h"
#include "ops/graph/conjugate.h"
#include "ops/graph/work.h"

namespace thunkvm {

/// The places of the matrices of a stack: the axes before the last two, and what a walk over a
/// broadcast of them needs.
struct MatrixStack {
  Dims batch;
  Dims batch_strides;
  std::int64_t rows = 1, columns = 1;
  std::int64_t row_stride = 0, column_stride = 0;
  char* data = nullptr;

  explicit MatrixStack(const Array& x)
      : batch(x.shape().first(static_cast<std::size_t>(x.ndim() - 2))),
        batch_strides(x.strides().first(batch.size())),
        rows(x.length(x.ndim() - 2)),
        columns(x.length(x.ndim() - 1)),
        row_stride(x.stride(x.ndim() - 2)),
        column_stride(x.stride(x.ndim() - 1)),
        data(x.data()) {}
};

/// A vector as a stack of one matrix: a row, or a column.
Array as_row(const Array& x);
Array as_column(const Array& x);

/// An Op on square matrices, and perhaps on right-hand sides. The operations that it states are
/// those of G. H. Golub and C. F. van Loan, Matrix Computations, 4th edition, 2013, to the leading
/// order.
class MatrixOp : public ArrayOp, public StatesWork {
 public:
  using ArrayOp::ArrayOp;

 protected:
  /// The input in a dtype that LAPACK knows; throws Error(Type) for float16.
  Variable inexact(const Variable& input) const;
  /// Throws if `a` is not a stack of matrices that may be square.
  void expect_square(const Variable& a) const;
};

/// The shape of a stack without its matrices' own axes; a vector has no others.
inline Extents stack_extents(const Extents& shape) {
  return shape.size() <= 2 ? Extents{} : Extents(shape.begin(), shape.end() - 2);
}

/// `x` with its last two axes exchanged.
Variable matrix_transpose(const Variable& x);
/// The conjugate of that, which gradients meet.
Variable adjoint(const Variable& x);
/// The last axis of `x` dropped, which has length 1.
Variable drop_last(const Variable& x);
Variable add_last(const Variable& x);
/// `x`, which has a batch axis if `batched`, with axes of length 1 behind it until it has `ndim`
/// axes beside it.
Variable line_up(const Variable& x, bool batched, int ndim);

/// The number of elements as BLAS counts them; throws Error(Value) for more than it can count.
int blas_length(const char* op, std::int64_t length);
/// Advice on a matrix that cannot be divided by.
inline constexpr const char* kSingularHint =
    "some row or column of the matrix is a combination of the others; add a multiple of the "
    "identity, or solve the least-squares problem";
/// Throws Error(LinAlg) for a run-time array whose last two axes differ.
void require_square(const char* op, const Array& a);
/// Throws Error(LinAlg): diagonal element k of that factor, counted from 1, is zero.
[[noreturn]] void fail_singular(const char* op, const char* factor, int k, const Array& a);

}  // namespace thunkvm
