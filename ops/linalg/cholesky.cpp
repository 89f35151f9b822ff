// cholesky.cpp: `cholesky`, the triangular factor of a positive definite matrix.
#include "ops/linalg/matrix_rules.h"
#include "ops/linalg/positive_factor.h"

namespace thunkvm {

namespace {

bool is_lower(const Attributes& attributes) { return attributes.get<bool>("lower"); }

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
    .algebra({.is_factor = true, .by_factor = "factored_cholesky"})
    .cores("(n,n)->(n,n)", lapack_kernel<PositiveFactor>)
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
