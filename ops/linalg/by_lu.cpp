// by_lu.cpp: functions of a matrix by LU factors of it. The rewrite `factors` puts them in place of
// `slogdet`, `det`, `cofactors` and `inv` where several nodes would factor one matrix.
#include "ops/linalg/cofactors.h"
#include "ops/linalg/factors.h"
#include "ops/linalg/lu_factors.h"
#include "ops/linalg/matrix_rules.h"
#include "ops/linalg/packed_factors.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace thunkvm {

namespace {

/// The factors among the inputs of a core: behind the matrix.
template <class T>
PackedFactors<T> packed_factors(const Core& core, int n) {
  return {n, core.in<T>(1), core.in<std::int64_t>(2)};
}

template <class T>
struct SignAndLogByLu {
  static constexpr Order kOrder = Order::C;
  static constexpr char kPlain[] = "slogdet";
  using Real = lapack::Real<T>;

  explicit SignAndLogByLu(const CoreCall& call) : lu(blas_length(call, "n")) {}

  void operator()(const Core& core) {
    lu.read_diagonal(packed_factors<T>(core, lu.n));
    std::tie(*core.out<T>(0), *core.out<Real>(1)) = lu.sign_and_log();
  }

  LuFactors<T> lu;
};

template <class T>
struct DeterminantByLu {
  static constexpr Order kOrder = Order::C;
  static constexpr char kPlain[] = "det";

  explicit DeterminantByLu(const CoreCall& call) : lu(blas_length(call, "n")) {}

  void operator()(const Core& core) {
    lu.read_diagonal(packed_factors<T>(core, lu.n));
    *core.out<T>(0) = lu.determinant().value();
  }

  LuFactors<T> lu;
};

template <class T>
struct InverseByLu {
  static constexpr Order kOrder = Order::C;
  static constexpr char kPlain[] = "inv";

  explicit InverseByLu(const CoreCall& call) : call(call), n(blas_length(call, "n")) {}

  void operator()(const Core& core) {
    const PackedFactors<T> factors = packed_factors<T>(core, n);
    if (const int zero = factors.zero(); zero > 0) fail_singular(kPlain, "U", zero, call.inputs[0]);
    factors.invert(core.out<T>(0));
  }

  CoreCall call;
  int n;
};

/// The determinant times the transposed inverse, where the factors are far from singular.
template <class T>
struct CofactorsByLu {
  static constexpr Order kOrder = Order::C;
  static constexpr char kPlain[] = "cofactors";

  explicit CofactorsByLu(const CoreCall& call)
      : lu(blas_length(call, "n")), inverse(lu.factors.size()), cofactors(lu.n) {}

  void operator()(const Core& core) {
    T* const out = core.out<T>(0);
    const PackedFactors<T> factors = packed_factors<T>(core, lu.n);
    lu.read_diagonal(factors);
    if (lu.n > 1 && lu.far_from_singular()) {
      factors.invert(inverse.data());
      if (all_finite<T>(inverse)) return write_by_inverse(out);
    }
    cofactors.read(core.in<T>(0));
    cofactors.write(out);
  }

  void write_by_inverse(T* out) {
    const ScaledProduct<T> scale = lu.determinant();
    const std::int64_t n = lu.n;
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = 0; j < n; ++j)
        out[i * n + j] = ScaledProduct<T>::times_power(
            inverse[static_cast<std::size_t>(j * n + i)] * scale.mantissa, scale.exponent);
  }

  LuFactors<T> lu;
  std::vector<T> inverse;
  Cofactors<T> cofactors;
};

/// Runs a kernel in the place of an Op that would factor the matrix, and refuses what that does.
template <class Kernel>
void run_by_lu(Activation& activation, const Operands& operands) {
  require_square(Kernel::kPlain, input_array(activation, operands, 0));
  run_cores<Kernel>(activation, operands);
}
template <template <class> class Kernel>
ThunkCode code_by_lu(const Apply& node, const OpRules& rules) {
  return visit_lapack(node.input(0).dtype(), Kernel<double>::kPlain,
                      [&]<class T>(std::type_identity<T>) {
                        return kernel_code<&run_by_lu<Kernel<T>>>(core_state(node, rules));
                      });
}

/// The gradient of that Op, whose value is the same.
template <template <class> class Kernel>
std::vector<Variable> gradient_by_lu(Apply& node, Gradients g) {
  const std::vector<Variable> plain = call_outputs(Kernel<double>::kPlain, {node.input(0)});
  Apply& apply = *plain[0].node();
  return {apply.op()->grad(apply, g).front(), Variable(), Variable()};
}

void takes_factors(Declaration& d) {
  d.family("linear algebra")
      .input("a", "square matrices", Takes::Inexact)
      .input("packed", "their LU factors, by `lu_factors`", Takes::Inexact)
      .input("exchanges", "the rows that their rows were exchanged with", Takes::Integers);
}

}  // namespace

DECLARE_OP(slogdet_by_lu)
    .with(takes_factors)
    .comment("`slogdet` of each matrix by its LU factors.")
    .example(
        ">>> a = tv.matrix(\"a\")\n"
        ">>> packed, exchanges, _ = tv.ops.lu_factors(a)\n"
        ">>> sign, logabsdet = tv.ops.slogdet_by_lu(a, packed, exchanges)\n"
        ">>> float(tv.function([a], sign)([[0.0, 1.0], [1.0, 0.0]]))\n"
        "-1.0")
    .output("sign", "of size 1 or 0")
    .output("logabsdet", "the logarithms", Gives::Real)
    .cores("(n,n),(n,n),(n)->(),()", code_by_lu<SignAndLogByLu>)
    .flops([](const CoreLengths& n) { return static_cast<double>(n["n"]); })
    .grad(&gradient_by_lu<SignAndLogByLu>);

DECLARE_OP(det_by_lu)
    .with(takes_factors)
    .comment("The determinant of each matrix by its LU factors.")
    .example(
        ">>> a = tv.matrix(\"a\")\n"
        ">>> packed, exchanges, _ = tv.ops.lu_factors(a)\n"
        ">>> det = tv.ops.det_by_lu(a, packed, exchanges)\n"
        ">>> float(tv.function([a], det)([[0.0, 2.0], [1.0, 0.0]]))\n"
        "-2.0")
    .output("out", "their determinants")
    .cores("(n,n),(n,n),(n)->()", code_by_lu<DeterminantByLu>)
    .flops([](const CoreLengths& n) { return static_cast<double>(n["n"]); })
    .grad(&gradient_by_lu<DeterminantByLu>);

DECLARE_OP(cofactors_by_lu)
    .with(takes_factors)
    .comment(
        "The cofactors of each matrix by its LU factors, if these are far from singular; else as "
        "`cofactors`.")
    .example(
        ">>> a = tv.matrix(\"a\")\n"
        ">>> packed, exchanges, _ = tv.ops.lu_factors(a)\n"
        ">>> cofactors = tv.ops.cofactors_by_lu(a, packed, exchanges)\n"
        ">>> tv.function([a], cofactors)([[2.0, 0.0], [1.0, 4.0]])\n"
        "array([[ 4., -1.],\n"
        "       [ 0.,  2.]])")
    .output("out", "their cofactors")
    .cores("(n,n),(n,n),(n)->(n,n)", code_by_lu<CofactorsByLu>)
    .flops([](const CoreLengths& n) { return 4 * cube(n["n"]) / 3; })
    .grad(&gradient_by_lu<CofactorsByLu>);

DECLARE_OP(inv_by_lu)
    .with(takes_factors)
    .hint(ErrorKind::LinAlg, kSingularHint)
    .comment("The inverse of each matrix by its LU factors.")
    .example(
        ">>> a = tv.matrix(\"a\")\n"
        ">>> packed, exchanges, _ = tv.ops.lu_factors(a)\n"
        ">>> inverse = tv.ops.inv_by_lu(a, packed, exchanges)\n"
        ">>> tv.function([a], inverse)([[2.0, 0.0], [0.0, 4.0]])\n"
        "array([[0.5 , 0.  ],\n"
        "       [0.  , 0.25]])")
    .output("out", "their inverses")
    .cores("(n,n),(n,n),(n)->(n,n)", code_by_lu<InverseByLu>)
    .flops([](const CoreLengths& n) { return 4 * cube(n["n"]) / 3; })
    .grad(&gradient_by_lu<InverseByLu>);

}  // namespace thunkvm
