// factors.h: the common parts of Ops that factor matrices: copies in LAPACK's order, and walks over
// stacks.
#pragma once

#include "ops/linalg/lapack.h"
#include "ops/linalg/linear_algebra.h"
#include "thunks/strided.h"

#include <array>
#include <string_view>
#include <type_traits>
#include <vector>

namespace thunkvm {

/// Copies a matrix into Fortran order.
template <class T>
void to_fortran(const char* from, std::int64_t row_stride, std::int64_t column_stride,
                std::int64_t rows, std::int64_t columns, T* to) {
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < columns; ++j)
      to[j * rows + i] = *reinterpret_cast<const T*>(from + i * row_stride + j * column_stride);
}
template <class T>
void from_fortran(const T* from, std::int64_t rows, std::int64_t columns, T* to) {
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < columns; ++j) to[i * columns + j] = from[j * rows + i];
}

/// Strides of a C-order stack of (rows, columns) matrices over `batch`, of its batch axes only.
inline std::vector<std::int64_t> stack_strides(Dims batch, std::int64_t matrix_bytes) {
  std::vector<std::int64_t> strides(batch.size());
  for (std::size_t axis = batch.size(); axis-- > 0; matrix_bytes *= batch[axis])
    strides[axis] = matrix_bytes;
  return strides;
}

/// Calls `f(a, b, out)` with the addresses of every matrix of a broadcast of two stacks; out is in
/// C order.
template <class F>
void each_matrix(Dims batch, const MatrixStack& a, const MatrixStack& b, char* out,
                 std::int64_t out_bytes, F&& f) {
  const std::vector<std::int64_t> strides = stack_strides(batch, out_bytes);
  StridedWalk walk(batch, std::array{StridedWalk::Operand{a.data, a.batch, a.batch_strides},
                                     StridedWalk::Operand{b.data, b.batch, b.batch_strides},
                                     StridedWalk::Operand{out, batch, strides}});
  walk.run([&](char* const* pointers, const std::int64_t* steps, std::int64_t count) {
    for (std::int64_t i = 0; i < count; ++i)
      f(pointers[0] + i * steps[0], pointers[1] + i * steps[1], pointers[2] + i * steps[2]);
  });
}

/// The result of `f` for the type of a dtype that LAPACK knows; nothing for others.
template <class F>
ThunkCode visit_lapack(DType dtype, std::string_view what, F&& f) {
  return visit_dtype(dtype, what, [&]<class T>(std::type_identity<T> type) -> ThunkCode {
    if constexpr (lapack::kKnows<T>)
      return f(type);
    else
      return {};
  });
}

}  // namespace thunkvm
