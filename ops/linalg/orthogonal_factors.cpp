// orthogonal_factors.cpp: `qr` and `complete_qr`, by Householder's reflections.
#include "ops/linalg/matrix_rules.h"

#include <algorithm>

namespace thunkvm {

namespace {

template <class T, bool kComplete>
struct OrthogonalFactors {
  static constexpr Order kOrder = Order::Fortran;

  explicit OrthogonalFactors(const CoreCall& call)
      : m(blas_length(call, "m")),
        n(blas_length(call, "n")),
        columns(kComplete ? m : std::min(m, n)),
        // Wide enough for what is read and for what Q takes.
        work(static_cast<std::size_t>(m) * static_cast<std::size_t>(std::max(n, columns))),
        tau(static_cast<std::size_t>(std::max(1, std::min(m, n)))) {}

  void operator()(const Core& core) {
    T *const q = core.out<T>(0), *const r = core.out<T>(1);
    std::copy_n(core.in<T>(0), std::int64_t{m} * n, work.data());
    if (m > 0 && n > 0) lapack::geqrf(m, n, work.data(), tau.data());
    const std::int64_t rows = columns;  // of R
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t i = 0; i < rows; ++i)
        r[j * rows + i] = i <= j ? work[static_cast<std::size_t>(j * m + i)] : T(0);
    if (m == 0 || columns == 0) return;
    if (n == 0) std::fill(work.begin(), work.end(), T(0));
    lapack::orgqr(m, columns, std::min(m, n), work.data(), tau.data());
    std::copy_n(work.data(), std::int64_t{m} * columns, q);
  }

  int m, n, columns;
  std::vector<T> work, tau;
};
template <class T>
using Qr = OrthogonalFactors<T, false>;
template <class T>
using CompleteQr = OrthogonalFactors<T, true>;

/// The gradient of a matrix that has at least as many rows as columns: S. F. Walter and L. Lehmann,
/// Algorithmic differentiation of linear algebra functions with application in optimum experimental
/// design, arXiv:1001.1654, 2010.
Variable tall_gradient(const Variable& q, const Variable& r, const Variable& to_q,
                       const Variable& to_r) {
  Variable mixed;  // R gR^H - gQ^H Q
  if (to_r) mixed = matmul(r, adjoint(to_r));
  if (to_q) {
    const Variable turned = matmul(adjoint(to_q), q);
    mixed = mixed ? mixed - turned : neg(turned);
  }
  const Variable lower = half_lower(mixed);
  Variable left = matmul(q, lower + adjoint(lower));
  if (to_q) left = to_q + left;
  // left R^-H.
  return adjoint(solve_upper(r, adjoint(left)));
}

std::vector<Variable> qr_gradient(Apply& node, Gradients g) {
  const Variable &a = node.input(0), q = node.output(0), r = node.output(1);
  const StaticShape& shape = a.static_shape();
  const std::int64_t rows = shape[shape.size() - 2], columns = shape.back();
  // Where it is not known whether a is tall, the columns beyond the rows are none of a tall one.
  if (rows >= 0 && columns >= 0 && rows >= columns) return {tall_gradient(q, r, g[0], g[1])};
  const Variable k = length_of(q, q.ndim() - 1);
  const Variable head = columns_before(r, k), tail = columns_from(a, k);
  Variable to_q = g[0], to_head, to_tail;
  if (g[1]) {
    to_head = columns_before(g[1], k);
    const Variable rest = columns_from(g[1], k);
    const Variable through = matmul(tail, adjoint(rest));
    to_q = to_q ? to_q + through : through;
    to_tail = matmul(q, rest);
  } else {
    to_tail = zeros_like(tail);
  }
  const Variable parts[] = {tall_gradient(q, head, to_q, to_head), to_tail};
  return {call_op("concatenate", std::span(parts), {{"axis", std::int64_t{a.ndim() - 1}}})};
}

double qr_flops(const CoreLengths& n) {
  const auto m = static_cast<double>(n["m"]), k = static_cast<double>(n["n"]);
  return 4.0 * m * k * std::min(m, k);
}

constexpr const char* kExample =
    ">>> a = tv.matrix(\"a\")\n"
    ">>> q, r = tv.ops.qr(a)\n"
    ">>> tv.function([a], tv.abs(r))([[3.0, 1.0], [4.0, 2.0]]).round(9)\n"
    "array([[5. , 2.2],\n"
    "       [0. , 0.4]])";

}  // namespace

DECLARE_OP(qr)
    .family("linear algebra")
    .comment(
        "Factors q and r of each matrix: the columns of q are orthonormal, as many as the shorter "
        "side has, and r is upper triangular. The gradient needs the leading square part of r to "
        "be regular.")
    .example(kExample)
    .input("a", "matrices", Takes::Inexact)
    .output("q", "matrices of orthonormal columns")
    .output("r", "upper triangular matrices")
    .cores("(m,n)->(m,k),(k,n)|k=min(m,n)", lapack_kernel<Qr>)
    .flops(&qr_flops)
    .grad(&qr_gradient);

DECLARE_OP(complete_qr)
    .family("linear algebra")
    .comment(
        "Factors q and r of each matrix with a square q. The columns of q that r does not reach "
        "are not unique and have no gradient.")
    .example(
        ">>> a = tv.matrix(\"a\")\n"
        ">>> q, r = tv.ops.complete_qr(a)\n"
        ">>> tv.function([a], q.shape)([[3.0], [4.0]])\n"
        "array([2, 2])")
    .input("a", "matrices", Takes::Inexact)
    .output("q", "unitary matrices")
    .output("r", "upper triangular matrices")
    .cores("(m,n)->(m,m),(m,n)", lapack_kernel<CompleteQr>)
    .flops(&qr_flops);

}  // namespace thunkvm
