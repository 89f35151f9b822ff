// eigenvalues.cpp: `eigh` and `eigvalsh` of Hermitian matrices, `eig` of any.
#include "ops/linalg/matrix_rules.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace thunkvm {

namespace {

[[noreturn]] void fail_to_converge(const CoreCall& call, const std::string& what) {
  throw Error(ErrorKind::LinAlg, "[" + call.op + "] " + what +
                                     " did not converge: check the matrix for NaN and infinity "
                                     "(shape " +
                                     format_shape(call.inputs[0].shape()) + ")");
}

template <class T, bool kVectors>
struct Hermitian {
  static constexpr Order kOrder = Order::Fortran;

  explicit Hermitian(const CoreCall& call)
      : call(call),
        n(blas_length(call, "n")),
        upper(call.attributes.get<std::string>("UPLO") == "U"),
        matrix(kVectors ? 0 : static_cast<std::size_t>(n) * static_cast<std::size_t>(n)) {}

  void operator()(const Core& core) {
    const std::int64_t size = std::int64_t{n} * n;
    T* const a = kVectors ? core.out<T>(1) : matrix.data();
    std::copy_n(core.in<T>(0), size, a);
    auto* const w = core.out<lapack::Real<T>>(0);
    if (n == 0) return;
    if (!all_finite(std::span<const T>(a, static_cast<std::size_t>(size))) ||
        lapack::heevd(kVectors, upper, n, a, w) != 0)
      fail_to_converge(call, "the eigenvalues");
  }

  CoreCall call;
  int n;
  bool upper;
  std::vector<T> matrix;
};
template <class T>
using Eigh = Hermitian<T, true>;
template <class T>
using Eigvalsh = Hermitian<T, false>;

/// The gradient of a Hermitian matrix as that of its triangle that is read, of which an element
/// stands for its mirror image too.
Variable of_triangle(const Variable& to_a, bool upper) {
  const Variable lower = half_lower(to_a + adjoint(to_a));
  return upper ? adjoint(lower) : lower;
}

bool reads_upper(const Apply& node) {
  return node.op()->attributes().get<std::string>("UPLO") == "U";
}

template <class T>
struct Eig {
  static constexpr Order kOrder = Order::Fortran;
  using Complex = std::complex<lapack::Real<T>>;

  explicit Eig(const CoreCall& call)
      : call(call),
        n(blas_length(call, "n")),
        matrix(static_cast<std::size_t>(n) * static_cast<std::size_t>(n)) {}

  void operator()(const Core& core) {
    std::copy_n(core.in<T>(0), matrix.size(), matrix.data());
    if (n == 0) return;
    if (!all_finite<T>(matrix))
      throw Error(ErrorKind::LinAlg, "[" + call.op +
                                         "] Array must not contain infs or NaNs (shape " +
                                         format_shape(call.inputs[0].shape()) + ")");
    if (lapack::geev(n, matrix.data(), core.out<Complex>(0), core.out<Complex>(1)) != 0)
      fail_to_converge(call, "the eigenvalues");
  }

  CoreCall call;
  int n;
  std::vector<T> matrix;
};

constexpr const char* kUplo = "the triangle of the matrix that is read";

}  // namespace

/// M. B. Giles, An extended collection of matrix derivative results, 2008, section 3.1; of equal
/// eigenvalues the part that their vectors leave open is 0.
DECLARE_OP(eigh)
    .family("linear algebra")
    .expose(Exposure::Package)
    .numpy("linalg.eigh")
    .comment(
        "The eigenvalues and eigenvectors of each Hermitian matrix, of which one triangle is read.")
    .example(
        ">>> a = tv.matrix(\"a\")\n"
        ">>> w, v = tv.eigh(a)\n"
        ">>> tv.function([a], w)([[2.0, 1.0], [1.0, 2.0]])\n"
        "array([1., 3.])")
    .input("a", "Hermitian matrices", Takes::Inexact)
    .attr("UPLO", {AttrValue("L"), AttrValue("U")}, kUplo)
    .output("eigenvalues", "real, the smallest first", Gives::Real)
    .output("eigenvectors", "the columns of matrices of unitary ones", Gives::Same)
    .cores("(n,n)->(n),(n,n)", lapack_kernel<Eigh>)
    .flops([](const CoreLengths& n) { return 9.0 * cube(n["n"]); })
    .grad([](Apply& node, Gradients g) -> std::vector<Variable> {
      const Variable w = node.output(0), v = node.output(1);
      Variable inner;
      if (g[0]) inner = diagonal_matrix(cast_now(g[0], v.dtype()));
      if (g[1]) {
        const Variable gaps = pairwise_gaps(w);
        const Variable turned = matmul(adjoint(v), g[1]) * cast_now(gaps, v.dtype());
        inner = inner ? inner + turned : turned;
      }
      return {of_triangle(matmul(matmul(v, inner), adjoint(v)), reads_upper(node))};
    });

DECLARE_OP(eigvalsh)
    .family("linear algebra")
    .expose(Exposure::Package)
    .numpy("linalg.eigvalsh")
    .comment("The eigenvalues of each Hermitian matrix, of which one triangle is read.")
    .example(
        ">>> a = tv.matrix(\"a\")\n"
        ">>> tv.function([a], tv.eigvalsh(a))([[2.0, 1.0], [1.0, 2.0]])\n"
        "array([1., 3.])")
    .input("a", "Hermitian matrices", Takes::Inexact)
    .attr("UPLO", {AttrValue("L"), AttrValue("U")}, kUplo)
    .output("out", "the eigenvalues, real, the smallest first", Gives::Real)
    .cores("(n,n)->(n)", lapack_kernel<Eigvalsh>)
    .flops([](const CoreLengths& n) { return 4.0 / 3.0 * cube(n["n"]); })
    .grad([](Apply& node, Gradients g) -> std::vector<Variable> {
      // The vectors are computed where the gradient is.
      const Variable v = call_outputs("eigh", {node.input(0)}, node.op()->attributes())[1];
      const Variable scaled = v * expand_dims(cast_now(g[0], v.dtype()), {g[0].ndim() - 1});
      return {of_triangle(matmul(scaled, adjoint(v)), reads_upper(node))};
    });

/// M. B. Giles, An extended collection of matrix derivative results, 2008, section 3.1; for vectors
/// of length 1: C. Boeddeker et al., On the computation of complex-valued gradients with
/// application to statistically optimum beamforming, arXiv:1701.00392, 2017.
DECLARE_OP(eig)
    .family("linear algebra")
    .expose(Exposure::Package)
    .numpy("linalg.eig")
    .comment(
        "The eigenvalues and right eigenvectors of each square matrix; complex numbers in any "
        "case. A gradient through the vectors must not depend on their phases.")
    .example(
        ">>> a = tv.matrix(\"a\")\n"
        ">>> w, v = tv.eig(a)\n"
        ">>> tv.function([a], w)([[0.0, 1.0], [-1.0, 0.0]])\n"
        "array([0.+1.j, 0.-1.j])")
    .input("a", "square matrices", Takes::Inexact)
    .output("eigenvalues", "in no order", Gives::Complex)
    .output("eigenvectors", "of length 1, as the columns of matrices", Gives::Complex)
    .cores("(n,n)->(n),(n,n)", lapack_kernel<Eig>)
    .flops([](const CoreLengths& n) { return 25.0 * cube(n["n"]); })
    .grad([](Apply& node, Gradients g) -> std::vector<Variable> {
      const Variable w = node.output(0), v = node.output(1);
      const Variable back = adjoint(v);
      Variable inner;
      if (g[0]) inner = diagonal_matrix(g[0]);
      if (g[1]) {
        const Variable along = matmul(back, g[1]);
        const Variable lengths = cast_now(call_op("real", {diagonal_of(along)}), v.dtype());
        const Variable across =
            along - matmul(back, v) * expand_dims(lengths, {lengths.ndim() - 1});
        const Variable turned = across * conjugate(pairwise_gaps(w));
        inner = inner ? inner + turned : turned;
      }
      const Variable to_a = call_op("solve", {back, matmul(inner, back)});
      return {is_complex(node.input(0).dtype()) ? to_a : call_op("real", {to_a})};
    });

}  // namespace thunkvm
