// singular_values.cpp: `svd`, `full_svd` and `svdvals`, by divide and conquer.
#include "ops/linalg/matrix_rules.h"

#include <algorithm>
#include <cmath>

namespace thunkvm {

namespace {

enum class Vectors : std::uint8_t { None, Reduced, Full };

template <class T, Vectors kVectors>
struct SingularValues {
  static constexpr Order kOrder = Order::Fortran;
  using Real = lapack::Real<T>;

  explicit SingularValues(const CoreCall& call)
      : call(call),
        m(blas_length(call, "m")),
        n(blas_length(call, "n")),
        matrix(static_cast<std::size_t>(m) * static_cast<std::size_t>(n)) {}

  void operator()(const Core& core) {
    std::copy_n(core.in<T>(0), matrix.size(), matrix.data());
    const bool has_vectors = kVectors != Vectors::None;
    Real* const s = core.out<Real>(has_vectors ? 1 : 0);
    T* const u = has_vectors ? core.out<T>(0) : nullptr;
    T* const vh = has_vectors ? core.out<T>(2) : nullptr;
    if (matrix.empty()) {
      if (kVectors == Vectors::Full) unit(u, m), unit(vh, n);
      return;
    }
    const char job = kVectors == Vectors::None ? 'N' : kVectors == Vectors::Full ? 'A' : 'S';
    if (!all_finite<T>(matrix) ||
        lapack::gesdd(job, m, n, matrix.data(), s, u, vh,
                      kVectors == Vectors::Full ? n : std::min(m, n)) != 0)
      throw Error(ErrorKind::LinAlg,
                  "[" + call.op +
                      "] SVD did not converge: check the matrix for NaN and infinity (shape " +
                      format_shape(call.inputs[0].shape()) + ")");
  }

  static void unit(T* a, std::int64_t size) {
    std::fill_n(a, size * size, T(0));
    for (std::int64_t i = 0; i < size; ++i) a[i * (size + 1)] = T(1);
  }

  CoreCall call;
  int m, n;
  std::vector<T> matrix;
};
template <class T>
using Svd = SingularValues<T, Vectors::Reduced>;
template <class T>
using FullSvd = SingularValues<T, Vectors::Full>;
template <class T>
using Svdvals = SingularValues<T, Vectors::None>;

Variable by_columns(const Variable& x, const Variable& row) {
  return x * expand_dims(row, {row.ndim() - 1});
}

/// x - x^H.
Variable skew(const Variable& x) { return x - adjoint(x); }

/// J. Townsend, Differentiating the singular value decomposition, 2016; of complex matrices Z.-Q.
/// Wan and S.-X. Zhang, Automatic differentiation for complex valued SVD, arXiv:1909.02659, 2019.
std::vector<Variable> svd_gradient(Apply& node, Gradients g) {
  const Variable u = node.output(0), vh = node.output(2);
  const DType dtype = u.dtype();
  const Variable s = cast_now(node.output(1), dtype), v = adjoint(vh);
  const Variable gaps = cast_now(pairwise_gaps(square(node.output(1))), dtype);
  const Variable inverse = 1.0 / s;
  Variable inner, to_a;
  const auto add_to = [](Variable& total, const Variable& term) {
    total = total ? total + term : term;
  };
  if (g[1]) add_to(inner, diagonal_matrix(cast_now(g[1], dtype)));
  if (g[0]) {
    const Variable turned = skew(matmul(adjoint(u), g[0]));
    add_to(inner, by_columns(turned * gaps, s));
    if (is_complex(dtype))
      add_to(inner, diagonal_matrix(diagonal_of(turned) * inverse *
                                    cast_now(Variable::number(0.5), dtype)));
    const Variable outside = g[0] - matmul(u, matmul(adjoint(u), g[0]));
    add_to(to_a, matmul(by_columns(outside, inverse), vh));
  }
  if (g[2]) {
    const Variable back = adjoint(g[2]);
    const Variable turned = skew(matmul(vh, back));
    add_to(inner, expand_dims(s, {s.ndim()}) * (turned * gaps));
    const Variable outside = g[2] - matmul(matmul(g[2], v), vh);
    add_to(to_a, matmul(by_columns(u, inverse), outside));
  }
  add_to(to_a, matmul(matmul(u, inner), vh));
  return {to_a};
}

double svd_flops(const CoreLengths& n) {
  const auto small = static_cast<double>(std::min(n["m"], n["n"]));
  return 4.0 * static_cast<double>(n["m"]) * static_cast<double>(n["n"]) * small +
         22.0 * small * small * small;
}

constexpr const char* kValues = "the largest first";

}  // namespace

DECLARE_OP(svd)
    .family("linear algebra")
    .comment(
        "The singular value decomposition u diag(s) vh of each matrix, with as many vectors as "
        "values. A gradient through the vectors must not depend on their signs or phases.")
    .example(
        ">>> a = tv.matrix(\"a\")\n"
        ">>> u, s, vh = tv.ops.svd(a)\n"
        ">>> tv.function([a], s)([[0.0, 2.0], [3.0, 0.0]])\n"
        "array([3., 2.])")
    .input("a", "matrices", Takes::Inexact)
    .output("u", "the left vectors, as columns")
    .output("s", kValues, Gives::Real)
    .output("vh", "the right vectors, conjugated, as rows")
    .cores("(m,n)->(m,k),(k),(k,n)|k=min(m,n)", lapack_kernel<Svd>)
    .flops(&svd_flops)
    .grad(&svd_gradient);

DECLARE_OP(full_svd)
    .family("linear algebra")
    .comment(
        "The singular value decomposition of each matrix, with all vectors of its spaces. Those "
        "that belong to no value are not unique and have no gradient.")
    .example(
        ">>> a = tv.matrix(\"a\")\n"
        ">>> u, s, vh = tv.ops.full_svd(a)\n"
        ">>> tv.function([a], vh.shape)([[0.0, 2.0, 1.0]])\n"
        "array([3, 3])")
    .input("a", "matrices", Takes::Inexact)
    .output("u", "the left vectors, as columns")
    .output("s", kValues, Gives::Real)
    .output("vh", "the right vectors, conjugated, as rows")
    .cores("(m,n)->(m,m),(k),(n,n)|k=min(m,n)", lapack_kernel<FullSvd>)
    .flops(&svd_flops);

DECLARE_OP(svdvals)
    .family("linear algebra")
    .expose(Exposure::Package)
    .numpy("linalg.svdvals")
    .comment("The singular values of each matrix.")
    .example(
        ">>> a = tv.matrix(\"a\")\n"
        ">>> tv.function([a], tv.svdvals(a))([[0.0, 2.0], [3.0, 0.0]])\n"
        "array([3., 2.])")
    .input("a", "matrices", Takes::Inexact)
    .output("out", kValues, Gives::Real)
    .cores("(m,n)->(k)|k=min(m,n)", lapack_kernel<Svdvals>)
    .flops([](const CoreLengths& n) { return svd_flops(n) / 3.0; })
    .grad([](Apply& node, Gradients g) -> std::vector<Variable> {
      const std::vector<Variable> parts = call_outputs("svd", {node.input(0)});
      return {matmul(by_columns(parts[0], cast_now(g[0], parts[0].dtype())), parts[2])};
    });

}  // namespace thunkvm
