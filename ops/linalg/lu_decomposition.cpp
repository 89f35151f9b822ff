// lu_decomposition.cpp: `lu_factors`, with exchanges of rows, and `slogdet`.
#include "ops/linalg/lu_factors.h"
#include "ops/linalg/matrix_rules.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace thunkvm {

namespace {

template <class T>
struct LuDecomposition {
  static constexpr Order kOrder = Order::Fortran;

  explicit LuDecomposition(const CoreCall& call)
      : m(blas_length(call, "m")),
        n(blas_length(call, "n")),
        pivots(static_cast<std::size_t>(std::min(m, n))) {}

  void operator()(const Core& core) {
    T* const factors = core.out<T>(0);
    std::copy_n(core.in<T>(0), std::int64_t{m} * n, factors);
    if (!pivots.empty()) lapack::getrf(m, n, factors, pivots.data());
    auto *const exchanged = core.out<std::int64_t>(1), *const rows = core.out<std::int64_t>(2);
    std::iota(rows, rows + m, std::int64_t{0});
    for (std::size_t i = 0; i < pivots.size(); ++i) {
      exchanged[i] = pivots[i] - 1;  // LAPACK counts from 1
      std::swap(rows[i], rows[exchanged[i]]);
    }
  }

  int m, n;
  std::vector<int> pivots;
};

template <class T>
struct SignAndLog {
  static constexpr Order kOrder = Order::Fortran;
  using Real = lapack::Real<T>;

  explicit SignAndLog(const CoreCall& call) : lu(blas_length(call, "n")) {}

  void operator()(const Core& core) {
    lu.read(core.in<T>(0));
    lu.factor();
    std::tie(*core.out<T>(0), *core.out<Real>(1)) = lu.sign_and_log();
  }

  LuFactors<T> lu;
};

Variable beside(const Variable& a, const Variable& b, int axis) {
  return call_op("concatenate", {a, b}, {{"axis", std::int64_t{a.ndim() + axis}}});
}

/// The gradient of a square matrix whose rows need no exchange; `g` is that of its packed factors.
/// The unit diagonal of L is no variable.
Variable square_gradient(const Variable& lower, const Variable& upper, const Variable& g) {
  const Variable to_lower = lower_of(matmul(adjoint(lower), lower_of(g, -1)), -1);
  const Variable to_upper = upper_of(matmul(upper_of(g), adjoint(upper)));
  // L^-H (...) U^-H.
  const Variable left = solve_upper(adjoint(lower), to_lower + to_upper);
  return adjoint(solve_upper(upper, adjoint(left)));
}

Variable with_unit_diagonal(const Variable& packed, const Variable& k) {
  return lower_of(packed, -1) + call_op("eye", {k, k}, {{"dtype", packed.dtype()}});
}

/// Of tall and wide matrices the rows and columns beyond the square part go first: they are
/// L2 = A2 U^-1 and U2 = L^-1 A2.
std::vector<Variable> lu_gradient(Apply& node, Gradients gradients) {
  if (!gradients[0]) return {Variable()};
  const Variable packed = node.output(0), rows = node.output(2);
  const Variable k = length_of(node.output(1), node.output(1).ndim() - 1);
  const StaticShape& shape = packed.static_shape();
  const std::int64_t m = shape[shape.size() - 2], n = shape.back();
  const bool may_be_tall = m < 0 || n < 0 || m > n, may_be_wide = m < 0 || n < 0 || n > m;
  const Variable above = may_be_tall ? rows_before(packed, k) : packed;
  const Variable square = may_be_wide ? columns_before(above, k) : above;
  const Variable lower = with_unit_diagonal(square, k), upper = upper_of(square);
  Variable g = gradients[0], to_below, to_right;
  if (may_be_tall) {
    const Variable below = columns_before(rows_from(packed, k), k);
    const Variable g_below = columns_before(rows_from(g, k), k);
    to_below = adjoint(solve_upper(upper, adjoint(g_below)));
    g = rows_before(g, k);
    const Variable through = neg(matmul(adjoint(below), to_below));
    // Only the upper triangle of the square part is U.
    g = may_be_wide ? beside(columns_before(g, k) + upper_of(through), columns_from(g, k), -1)
                    : g + upper_of(through);
  }
  if (may_be_wide) {
    const Variable right = columns_from(above, k), g_right = columns_from(g, k);
    to_right = solve_upper(adjoint(lower), g_right);
    g = columns_before(g, k) - lower_of(matmul(to_right, adjoint(right)), -1);
  }
  Variable to_rows = square_gradient(lower, upper, g);
  if (to_right) to_rows = beside(to_rows, to_right, -1);
  if (to_below) {
    // The rows below have no columns to the right where the matrix is tall.
    const Variable rest =
        may_be_wide ? zeros_like(columns_from(rows_from(packed, k), k)) : Variable();
    to_rows = beside(to_rows, rest ? beside(to_below, rest, -1) : to_below, -2);
  }
  // Row i of the factors is row rows[i] of the matrix.
  const Variable back = call_op("argsort", {rows});
  return {matrix_transpose(
      call_op("take_along", {matrix_transpose(to_rows), expand_dims(back, {back.ndim() - 1})}))};
}

}  // namespace

DECLARE_OP(lu_factors)
    .family("linear algebra")
    .comment(
        "The LU factors of each matrix with exchanges of rows, in one matrix: U on and above the "
        "diagonal, L below it, whose diagonal is 1. Row i of L U is row `rows[i]` of the matrix.")
    .example(
        ">>> a = tv.matrix(\"a\")\n"
        ">>> packed, exchanges, rows = tv.ops.lu_factors(a)\n"
        ">>> tv.function([a], packed)([[1.0, 2.0], [4.0, 4.0]])\n"
        "array([[4.  , 4.  ],\n"
        "       [0.25, 1.  ]])")
    .input("a", "matrices", Takes::Inexact)
    .output("packed", "both factors")
    .output("exchanges", "the row that row i was exchanged with, in order", Gives::Int64)
    .output("rows", "the rows of the matrix in the order of the factors'", Gives::Int64)
    .cores("(m,n)->(m,n),(k),(m)|k=min(m,n)", lapack_kernel<LuDecomposition>)
    .flops([](const CoreLengths& n) {
      const auto m = static_cast<double>(n["m"]), k = static_cast<double>(n["n"]);
      return m * k * std::min(m, k) * 2.0 / 3.0;
    })
    .grad(&lu_gradient);

DECLARE_OP(slogdet)
    .family("linear algebra")
    .expose(Exposure::Package)
    .numpy("linalg.slogdet")
    .comment(
        "The sign of the determinant of each matrix, and the logarithm of its absolute value: 0 "
        "and -inf for a singular one.")
    .example(
        ">>> a = tv.matrix(\"a\")\n"
        ">>> sign, logabsdet = tv.slogdet(a)\n"
        ">>> float(tv.function([a], sign)([[0.0, 1.0], [1.0, 0.0]]))\n"
        "-1.0")
    .input("a", "square matrices", Takes::Inexact)
    .output("sign", "of size 1 or 0")
    .output("logabsdet", "the logarithms", Gives::Real)
    .algebra({.by_factor = "factored_slogdet"})
    .cores("(n,n)->(),()", lapack_kernel<SignAndLog>)
    .flops([](const CoreLengths& n) { return cube(n["n"]) * 2.0 / 3.0; })
    .grad([](Apply& node, Gradients g) -> std::vector<Variable> {
      const Variable &a = node.input(0), sign = node.output(0);
      Variable scale;
      if (g[1]) scale = cast_now(g[1], a.dtype());
      if (g[0] && is_complex(a.dtype())) {
        // The sign is exp(i t), and t the imaginary part of log(det(a)).
        const Variable turn = call_op("imag", {conjugate(g[0]) * sign});
        const Variable i = Variable::constant(Cell::of(Complex128(0.0, -1.0)), true);
        const Variable along = i * cast_now(turn, a.dtype());
        scale = scale ? scale + along : along;
      }
      if (!scale) return {Variable()};  // the sign of a real determinant is constant
      return {expand_dims(scale, {scale.ndim(), scale.ndim() + 1}) * adjoint(call_op("inv", {a}))};
    });

}  // namespace thunkvm
