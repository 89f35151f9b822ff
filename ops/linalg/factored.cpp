// factored.cpp: functions of a matrix by a Cholesky factor of it that is there anyway. The rewrite
// `factors` puts them in place of `slogdet`, `inv` and of further Cholesky factors.
//
// A factor says all of a matrix if that is Hermitian, for one triangle of it was read. Each kernel
// looks whether it is, which takes n^2 steps, and else does what its Op does without a factor.
#include "ops/linalg/lu_factors.h"
#include "ops/linalg/matrix_rules.h"
#include "ops/linalg/positive_factor.h"

#include <cmath>
#include <tuple>

namespace thunkvm {

namespace {

/// True if a matrix is its own adjoint, and `factor` its Cholesky factor without a NaN.
template <class T>
bool is_factored(const T* a, const T* factor, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i) {
    const auto pivot = std::real(factor[i * (n + 1)]);
    if (!(pivot > 0) || !std::isfinite(pivot)) return false;
    if (std::imag(a[i * (n + 1)]) != 0) return false;
  }
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < i; ++j)
      if (a[i * n + j] != conjugated(a[j * n + i])) return false;
  return true;
}

template <class T>
struct FactoredSignAndLog {
  static constexpr Order kOrder = Order::C;
  using Real = lapack::Real<T>;

  explicit FactoredSignAndLog(const CoreCall& call) : lu(blas_length(call, "n")) {}

  void operator()(const Core& core) {
    const T *const a = core.in<T>(0), *const factor = core.in<T>(1);
    if (!is_factored(a, factor, lu.n)) {
      lu.read(a);  // transposed, which changes no determinant
      lu.factor();
      std::tie(*core.out<T>(0), *core.out<Real>(1)) = lu.sign_and_log();
      return;
    }
    Real log = 0;
    for (std::int64_t i = 0; i < lu.n; ++i) log += std::log(std::real(factor[i * (lu.n + 1)]));
    *core.out<T>(0) = T(1);
    *core.out<Real>(1) = 2 * log;
  }

  LuFactors<T> lu;
};

template <class T>
struct FactoredInverse {
  static constexpr Order kOrder = Order::C;

  explicit FactoredInverse(const CoreCall& call)
      : call(call), lu(blas_length(call, "n")), lower(call.attributes.get<bool>("factor_lower")) {}

  void operator()(const Core& core) {
    const T *const a = core.in<T>(0), *const factor = core.in<T>(1);
    T* const out = core.out<T>(0);
    if (!is_factored(a, factor, lu.n)) {
      lu.read(a);
      if (const int zero = lu.factor(); zero > 0) fail_singular("inv", "U", zero, call.inputs[0]);
      lu.invert(out);  // the inverse of the transpose, transposed
      return;
    }
    if (lu.n == 0) return;
    std::copy_n(factor, lu.factors.size(), out);
    lapack::potri(lower, lu.n, out);
    mirror(out, lu.n, lower);
  }

  CoreCall call;
  LuFactors<T> lu;
  bool lower;
};

template <class T>
struct FactoredCholesky {
  static constexpr Order kOrder = Order::C;

  explicit FactoredCholesky(const CoreCall& call)
      : cholesky(call), is_same(cholesky.lower == call.attributes.get<bool>("factor_lower")) {}

  void operator()(const Core& core) {
    const T *const a = core.in<T>(0), *const factor = core.in<T>(1);
    const std::int64_t n = cholesky.n;
    if (!is_factored(a, factor, n)) return cholesky(core);
    T* const out = core.out<T>(0);
    for (std::int64_t i = 0; i < n; ++i)
      for (std::int64_t j = 0; j < n; ++j)
        out[i * n + j] = is_same ? factor[i * n + j] : conjugated(factor[j * n + i]);
  }

  PositiveFactor<T> cholesky;
  bool is_same;
};

/// The gradient of the Op without a factor, which the value is that of.
std::vector<Variable> gradient_as(const char* op, Apply& node, Gradients g,
                                  const Attributes& attrs = {}) {
  const Variable plain = call_op(op, {node.input(0)}, attrs);
  return {plain.node()->op()->grad(*plain.node(), g).front(), Variable()};
}

}  // namespace

DECLARE_OP(factored_slogdet)
    .family("linear algebra")
    .comment(
        "`slogdet` of each matrix by a Cholesky factor of it, if it is Hermitian; else by its LU "
        "factors.")
    .example(
        ">>> a = tv.matrix(\"a\")\n"
        ">>> sign, logabsdet = tv.ops.factored_slogdet(a, tv.cholesky(a))\n"
        ">>> float(tv.function([a], tv.exp(logabsdet))([[4.0, 2.0], [2.0, 5.0]]).round(9))\n"
        "16.0")
    .input("a", "square matrices", Takes::Inexact)
    .input("factor", "their Cholesky factors", Takes::Inexact)
    .output("sign", "of size 1 or 0")
    .output("logabsdet", "the logarithms", Gives::Real)
    .cores("(n,n),(n,n)->(),()", lapack_kernel<FactoredSignAndLog>)
    .flops([](const CoreLengths& n) { return static_cast<double>(n["n"]); })
    .grad([](Apply& node, Gradients g) { return gradient_as("slogdet", node, g); });

DECLARE_OP(factored_inv)
    .family("linear algebra")
    .hint(ErrorKind::LinAlg, kSingularHint)
    .comment(
        "The inverse of each matrix by a Cholesky factor of it, if it is Hermitian; else by its "
        "LU factors.")
    .example(
        ">>> a = tv.matrix(\"a\")\n"
        ">>> inverse = tv.ops.factored_inv(a, tv.cholesky(a))\n"
        ">>> tv.function([a], inverse)([[4.0, 2.0], [2.0, 5.0]]) * 16\n"
        "array([[ 5., -2.],\n"
        "       [-2.,  4.]])")
    .input("a", "square matrices", Takes::Inexact)
    .input("factor", "their Cholesky factors", Takes::Inexact)
    .attr("factor_lower", true, "whether the factors are lower triangles, or upper ones")
    .output("out", "their inverses")
    .cores("(n,n),(n,n)->(n,n)", lapack_kernel<FactoredInverse>)
    .flops([](const CoreLengths& n) { return cube(n["n"]) * 2 / 3; })
    .grad([](Apply& node, Gradients g) { return gradient_as("inv", node, g); });

DECLARE_OP(factored_cholesky)
    .family("linear algebra")
    .comment(
        "The Cholesky factor of each matrix from another one, of either triangle, if it is "
        "Hermitian; else as `cholesky`.")
    .example(
        ">>> a = tv.matrix(\"a\")\n"
        ">>> upper = tv.ops.factored_cholesky(a, tv.cholesky(a), lower=False)\n"
        ">>> tv.function([a], upper)([[4.0, 2.0], [2.0, 5.0]])\n"
        "array([[2., 1.],\n"
        "       [0., 2.]])")
    .input("a", "square matrices", Takes::Inexact)
    .input("factor", "their Cholesky factors", Takes::Inexact)
    .attr("lower", true, "whether L is returned, or L^H")
    .attr("on_error", {AttrValue("raise"), AttrValue("nan")}, "as of `cholesky`")
    .attr("factor_lower", true, "whether the factors that are given are lower triangles")
    .output("out", "the factors, with zeros in the other triangle")
    .cores("(n,n),(n,n)->(n,n)", lapack_kernel<FactoredCholesky>)
    .flops([](const CoreLengths& n) { return static_cast<double>(n["n"] * n["n"]); })
    .grad([](Apply& node, Gradients g) {
      const Attributes& attrs = node.op()->attributes();
      return gradient_as(
          "cholesky", node, g,
          {{"lower", attrs.get<bool>("lower")}, {"on_error", attrs.get<std::string>("on_error")}});
    });

}  // namespace thunkvm
