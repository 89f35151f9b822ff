// inverse.cpp: `inv`, through LU factors with row exchanges.
#include "ops/linalg/lu_factors.h"
#include "ops/linalg/matrix_rules.h"

namespace thunkvm {

namespace {

template <class T>
struct Inverse {
  static constexpr Order kOrder = Order::Fortran;

  explicit Inverse(const CoreCall& call) : call(call), lu(blas_length(call, "n")) {}

  void operator()(const Core& core) {
    lu.read(core.in<T>(0));
    if (const int zero = lu.factor(); zero > 0)
      fail_singular(call.op.c_str(), "U", zero, call.inputs[0]);
    lu.invert(core.out<T>(0));
  }

  CoreCall call;
  LuFactors<T> lu;
};

}  // namespace

DECLARE_OP(inv)
    .family("linear algebra")
    .expose(Exposure::Package)
    .numpy("linalg.inv")
    .hint(ErrorKind::LinAlg, kSingularHint)
    .comment("The inverse of each matrix. To solve a system, `solve` is faster and more accurate.")
    .example(
        ">>> a = tv.matrix(\"a\")\n"
        ">>> tv.function([a], tv.ops.inv(a))([[2.0, 0.0], [0.0, 4.0]])\n"
        "array([[0.5 , 0.  ],\n"
        "       [0.  , 0.25]])")
    .input("a", "square matrices", Takes::Inexact)
    .output("out", "their inverses")
    .algebra({.by_factor = "factored_inv"})
    .cores("(n,n)->(n,n)", lapack_kernel<Inverse>)
    .flops([](const CoreLengths& n) { return 2 * cube(n["n"]); })
    .grad([](Apply& node, Gradients g) -> std::vector<Variable> {
      const Variable turned = adjoint(node.output(0));
      return {neg(matmul(matmul(turned, g[0]), turned))};
    });

}  // namespace thunkvm
