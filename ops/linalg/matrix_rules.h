// matrix_rules.h: the common parts of the Ops over matrices that are declared: kernels by LAPACK's
// dtypes, and matrices that gradients are made of.
#pragma once

#include "ops/graph/conjugate.h"
#include "ops/graph/declaration.h"
#include "ops/linalg/lapack_factors.h"
#include "ops/linalg/linear_algebra.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <span>
#include <string_view>
#include <vector>

namespace thunkvm {

/// The code of a declared Op by the dtype of input 0, which LAPACK knows.
template <template <class> class Kernel>
ThunkCode lapack_kernel(const Apply& node, const OpRules& rules) {
  return visit_dtype(node.input(0).dtype(), rules.proto.name,
                     [&]<class T>(std::type_identity<T>) -> ThunkCode {
                       if constexpr (lapack::kKnows<T>)
                         return kernel_code<&run_cores<Kernel<T>>>(core_state(node, rules));
                       else
                         return {};
                     });
}

/// The length of this name as BLAS counts it.
inline int blas_length(const CoreCall& call, std::string_view name) {
  return blas_length(call.op.c_str(), call.lengths[name]);
}

/// True if no number is NaN or infinite.
template <class T>
bool all_finite(std::span<const T> numbers) {
  return std::ranges::all_of(numbers, [](const T& x) {
    return std::isfinite(std::real(x)) && std::isfinite(std::imag(x));
  });
}

inline double cube(std::int64_t n) {
  const auto x = static_cast<double>(n);
  return x * x * x;
}

/// All outputs of a registered Op.
std::vector<Variable> call_outputs(std::string_view name, std::initializer_list<Variable> inputs,
                                   const Attributes& attrs = {});
/// Each row as the diagonal of a matrix, and back.
Variable diagonal_matrix(const Variable& rows);
Variable diagonal_of(const Variable& matrices);
/// The lower triangle, with half of the diagonal.
Variable half_lower(const Variable& x);
/// The triangle at and below diagonal k, or at and above it.
Variable lower_of(const Variable& x, std::int64_t k = 0);
Variable upper_of(const Variable& x, std::int64_t k = 0);
/// The first `k` columns, and the others; so with rows.
Variable columns_before(const Variable& x, const Variable& k);
Variable columns_from(const Variable& x, const Variable& k);
Variable rows_before(const Variable& x, const Variable& k);
Variable rows_from(const Variable& x, const Variable& k);
/// 1 / (w[j] - w[i]) at (i, j), and 0 where they are equal.
Variable pairwise_gaps(const Variable& w);
/// The solution of a triangular system a x = b.
Variable solve_lower(const Variable& a, const Variable& b);
Variable solve_upper(const Variable& a, const Variable& b);

}  // namespace thunkvm
