// positive_factor.h: the kernel of `cholesky`, and what other kernels do with a factor.
#pragma once

#include "ops/linalg/matrix_rules.h"

#include <algorithm>
#include <complex>
#include <limits>

namespace thunkvm {

template <class T>
T conjugated(const T& x) {
  if constexpr (lapack::kIsComplex<T>)
    return std::conj(x);
  else
    return x;
}

/// Makes a Hermitian (n, n) matrix of one triangle of it.
template <class T>
void mirror(T* a, std::int64_t n, bool from_lower) {
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < i; ++j) {
      T &below = a[i * n + j], &above = a[j * n + i];
      (from_lower ? above : below) = conjugated(from_lower ? below : above);
    }
}

/// The lower triangle in C order is the upper one in Fortran order, and its factor is the transpose
/// of the other's.
template <class T>
struct PositiveFactor {
  static constexpr Order kOrder = Order::C;

  explicit PositiveFactor(const CoreCall& call)
      : call(call),
        n(blas_length(call, "n")),
        lower(call.attributes.get<bool>("lower")),
        nan_on_error(call.attributes.get<std::string>("on_error") == "nan") {}

  void operator()(const Core& core) {
    const T* const a = core.in<T>(0);
    T* const matrix = core.out<T>(0);
    const std::int64_t size = std::int64_t{n} * n;
    if (n == 0) return;
    if (a != matrix) std::copy_n(a, size, matrix);
    const int minor = lapack::potrf(lower, n, matrix);
    if (minor > 0 && !nan_on_error)
      throw Error(ErrorKind::LinAlg,
                  "[cholesky] the matrix is not positive definite: the leading minor of order " +
                      std::to_string(minor) + " is not positive (shape " +
                      format_shape(call.inputs[0].shape()) +
                      "). Check that it is symmetric with positive eigenvalues, or add a small "
                      "multiple of the identity");
    if (minor > 0) std::fill_n(matrix, size, T(std::numeric_limits<double>::quiet_NaN()));
    for (std::int64_t i = 0; i < n; ++i) {
      T* const row = matrix + i * n;
      if (lower)
        std::fill(row + i + 1, row + n, T(0));
      else
        std::fill(row, row + i, T(0));
    }
  }

  CoreCall call;
  int n;
  bool lower, nan_on_error;
};

}  // namespace thunkvm
