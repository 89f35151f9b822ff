// determinant.cpp: `det`, and its first two derivatives, which singular matrices have too:
// `cofactors` and `cofactor_changes`.
#include "ops/linalg/cofactors.h"
#include "ops/linalg/lu_factors.h"
#include "ops/linalg/matrix_rules.h"

namespace thunkvm {

namespace {

template <class T>
struct Determinant {
  static constexpr Order kOrder = Order::Fortran;

  explicit Determinant(const CoreCall& call) : lu(blas_length(call, "n")) {}

  void operator()(const Core& core) {
    lu.read(core.in<T>(0));
    lu.factor();
    *core.out<T>(0) = lu.determinant().value();
  }

  LuFactors<T> lu;
};

template <class T>
struct CofactorMatrix {
  static constexpr Order kOrder = Order::C;

  explicit CofactorMatrix(const CoreCall& call) : cofactors(blas_length(call, "n")) {}

  void operator()(const Core& core) {
    cofactors.read(core.in<T>(0));
    cofactors.write(core.out<T>(0));
  }

  Cofactors<T> cofactors;
};

template <class T>
struct CofactorChanges {
  static constexpr Order kOrder = Order::C;

  explicit CofactorChanges(const CoreCall& call)
      : cofactors(blas_length(call, "n")),
        change(static_cast<std::size_t>(call.lengths["n"] * call.lengths["n"])) {}

  void operator()(const Core& core) {
    cofactors.read(core.in<T>(0));
    std::copy_n(core.in<T>(1), change.size(), change.data());
    cofactors.write_change(change.data(), core.out<T>(0));
  }

  Cofactors<T> cofactors;
  std::vector<T> change;
};

/// The trace of the product of two matrices, for each of a stack.
Variable trace_of(const Variable& a, const Variable& b) {
  const Variable terms = mul(a, matrix_transpose(b));
  return sum(terms, {terms.ndim() - 2, terms.ndim() - 1}, true);
}

double determinant_flops(const CoreLengths& n) { return cube(n["n"]) * 2 / 3; }

}  // namespace

DECLARE_OP(det)
    .family("linear algebra")
    .expose(Exposure::Package)
    .numpy("linalg.det")
    .comment(
        "The determinant of each matrix, from its LU factors. It is 0 or infinite only where the "
        "determinant is too small or too large for its dtype. Its gradient and its Hessian are "
        "those of singular matrices too; a third derivative needs the inverse.")
    .example(
        ">>> a = tv.matrix(\"a\")\n"
        ">>> tv.function([a], tv.ops.det(a))([[2.0, 0.0], [0.0, 4.0]])\n"
        "np.float64(8.0)")
    .input("a", "square matrices", Takes::Inexact)
    .output("out", "their determinants")
    .cores("(n,n)->()", lapack_kernel<Determinant>)
    .flops(&determinant_flops)
    .grad([](Apply& node, Gradients g) -> std::vector<Variable> {
      return {mul(add_last(add_last(g[0])), conjugate(call_op("cofactors", {node.input(0)})))};
    });

DECLARE_OP(cofactors)
    .family("linear algebra")
    .comment(
        "The cofactors of each matrix, which are the derivatives of its determinant: det(a) times "
        "the transposed inverse where there is one. From the LU factors; where these are nearly "
        "singular from the singular values (G. W. Stewart, On the adjugate matrix, 1998).")
    .example(
        ">>> a = tv.matrix(\"a\")\n"
        ">>> tv.function([a], tv.ops.cofactors(a))([[2.0, 1.0], [4.0, 2.0]])\n"
        "array([[ 2., -4.],\n"
        "       [-1.,  2.]])")
    .input("a", "square matrices", Takes::Inexact)
    .output("out", "their cofactors")
    .cores("(n,n)->(n,n)", lapack_kernel<CofactorMatrix>)
    .flops([](const CoreLengths& n) { return 3 * determinant_flops(n); })
    .grad([](Apply& node, Gradients g) -> std::vector<Variable> {
      return {conjugate(call_op("cofactor_changes", {node.input(0), conjugate(g[0])}))};
    });

/// By the change it is linear, and its derivatives are symmetric; by the matrix it is the third
/// derivative of the determinant, through the inverse.
DECLARE_OP(cofactor_changes)
    .family("linear algebra")
    .comment(
        "How the cofactors of each matrix change with it: their derivative along a direction, "
        "which is the second derivative of the determinant.")
    .example(
        ">>> a, b = tv.matrix(\"a\"), tv.matrix(\"b\")\n"
        ">>> change = tv.function([a, b], tv.ops.cofactor_changes(a, b))\n"
        ">>> change([[2.0, 1.0], [4.0, 2.0]], [[1.0, 0.0], [0.0, 3.0]]).round(9) + 0.0\n"
        "array([[3., 0.],\n"
        "       [0., 1.]])")
    .input("a", "square matrices", Takes::Inexact)
    .input("b", "the directions, matrices of the same size", Takes::Inexact)
    .output("out", "the derivatives")
    .cores("(n,n),(n,n)->(n,n)", lapack_kernel<CofactorChanges>)
    .flops([](const CoreLengths& n) { return 6 * cube(n["n"]); })
    .grad([](Apply& node, Gradients gradients) -> std::vector<Variable> {
      const Variable &a = node.input(0), &b = node.input(1);
      const Variable g = conjugate(gradients[0]);
      const Variable inverse = call_op("inv", {a});
      const Variable scale = add_last(add_last(call_op("det", {a})));
      const Variable ib = matmul(inverse, b), ig = matmul(inverse, g);
      const Variable bg = matmul(ib, ig), gb = matmul(ig, ib);
      const Variable trace_b = trace_of(inverse, b), trace_g = trace_of(inverse, g);
      const Variable inner = (trace_b * trace_g - trace_of(ib, ig)) * inverse -
                             matmul(trace_g * ib + trace_b * ig - bg - gb, inverse);
      return {conjugate(scale * matrix_transpose(inner)),
              conjugate(call_op("cofactor_changes", {a, g}))};
    });

}  // namespace thunkvm
