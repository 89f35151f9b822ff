// cholesky.cpp: `cholesky`, the triangular factor of a positive definite matrix.
#include "ops/linalg/matrix_rules.h"

#include <algorithm>
#include <limits>

namespace thunkvm {

namespace {

bool is_lower(const Attributes& attributes) { return attributes.get<bool>("lower"); }

/// The lower triangle in C order is the upper one in Fortran order, and its factor is the transpose
/// of the other's.
template <class T>
struct Cholesky {
  static constexpr Order kOrder = Order::C;

  explicit Cholesky(const CoreCall& call)
      : call(call),
        n(blas_length(call, "n")),
        lower(is_lower(call.attributes)),
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

}  // namespace

/// Its gradient: I. Murray, Differentiation of the Cholesky decomposition, arXiv:1602.07527, 2016;
/// of complex matrices with adjoints for transposes. The gradient is that of the triangle that is
/// read: an element of it stands for its mirror image too. What LAPACK does not read, the imaginary
/// parts of the diagonal, has none.
DECLARE_OP(cholesky)
    .family("linear algebra")
    .expose(Exposure::Package)
    .numpy("linalg.cholesky")
    .hint(ErrorKind::LinAlg,
          "the matrix has to be symmetric (Hermitian) and positive definite; where rounding spoilt "
          "that, add a small multiple of the identity")
    .comment(
        "The triangular factor L of each positive definite matrix a = L L^H. One triangle of a is "
        "read. A matrix that is not positive definite is a LinAlgError, or has a factor of NaN.")
    .example(
        ">>> a = tv.matrix(\"a\")\n"
        ">>> tv.function([a], tv.ops.cholesky(a))([[4.0, 2.0], [2.0, 5.0]])\n"
        "array([[2., 0.],\n"
        "       [1., 2.]])")
    .input("a", "square matrices", Takes::Inexact)
    .attr("lower", true,
          "whether the lower triangle is read and L returned, or the upper one and L^H")
    .attr("on_error", {AttrValue("raise"), AttrValue("nan")},
          "what a matrix that is not positive definite gives: \"raise\", a LinAlgError, which "
          "tv.attempt can catch; \"nan\", a factor of NaN, for this matrix of several alone")
    .output("out", "the factors, with zeros in the other triangle")
    .cores("(n,n)->(n,n)", lapack_kernel<Cholesky>)
    .in_place()
    .flops([](const CoreLengths& n) { return cube(n["n"]) / 3; })
    .grad([](Apply& node, Gradients g) -> std::vector<Variable> {
      const bool lower = is_lower(node.op()->attributes());
      const Variable factor = lower ? node.output(0) : adjoint(node.output(0));
      const Variable back = lower ? g[0] : adjoint(g[0]);
      const Variable conjugated = conjugate(factor);
      const auto solve_adjoint = [&](const Variable& b) {
        return call_op("solve_triangular", {conjugated, b},
                       {{"lower", true}, {"transposed", true}, {"unit_diagonal", false}});
      };
      const Variable left = solve_adjoint(half_lower(matmul(adjoint(factor), back)));
      const Variable both = solve_adjoint(adjoint(left));
      const Variable to_a = half_lower(add(both, adjoint(both)));
      return {lower ? to_a : adjoint(to_a)};
    });

}  // namespace thunkvm
