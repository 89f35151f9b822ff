// incomplete.cpp: the gamma function, incomplete gamma and beta functions and their inverses, and
// the exponential integral, with Boost.Math's values.
#include "ops/elementwise/elementwise.h"
#include "ops/elementwise/of_doubles.h"

#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/expint.hpp>
#include <boost/math/special_functions/gamma.hpp>

#include <cmath>
#include <limits>

namespace thunkvm {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

double gamma_of(double x) { return std::tgamma(x); }

// The edges as SciPy has them.
double gammainc(double a, double x) {
  if (!(a >= 0) || !(x >= 0) || (a == 0 && x == 0) || (std::isinf(a) && std::isinf(x))) return kNaN;
  if (a == 0 || std::isinf(x)) return 1;
  if (x == 0 || std::isinf(a)) return 0;
  return boost::math::gamma_p(a, x, Quiet());
}
double gammaincc(double a, double x) {
  if (!(a >= 0) || !(x >= 0) || (a == 0 && x == 0) || (std::isinf(a) && std::isinf(x))) return kNaN;
  if (a == 0 || std::isinf(x)) return 0;
  if (x == 0 || std::isinf(a)) return 1;
  return boost::math::gamma_q(a, x, Quiet());
}
double gammaincinv(double a, double p) {
  if (!(a > 0) || !(p >= 0) || !(p <= 1)) return kNaN;
  if (p == 0 || p == 1) return p == 0 ? 0 : kInfinity;
  return boost::math::gamma_p_inv(a, p, Quiet());
}
double gammainccinv(double a, double q) {
  if (!(a > 0) || !(q >= 0) || !(q <= 1)) return kNaN;
  if (q == 0 || q == 1) return q == 1 ? 0 : kInfinity;
  return boost::math::gamma_q_inv(a, q, Quiet());
}
/// All of the weight is at 0 where a is 0 or b infinite, and at 1 where b is 0 or a infinite.
double betainc(double a, double b, double x) {
  if (!(a >= 0) || !(b >= 0) || !(x >= 0) || !(x <= 1)) return kNaN;
  if ((a == 0 && b == 0) || (std::isinf(a) && std::isinf(b))) return kNaN;
  if (x == 0 || x == 1) return x;
  if (a == 0 || std::isinf(b)) return 1;
  if (b == 0 || std::isinf(a)) return 0;
  return boost::math::ibeta(a, b, x, Quiet());
}
double betaincinv(double a, double b, double p) {
  if (!(a > 0) || !(b > 0) || !(p >= 0) || !(p <= 1)) return kNaN;
  if (p == 0 || p == 1) return p;
  if (std::isinf(a) && std::isinf(b)) return kNaN;
  if (std::isinf(a) || std::isinf(b)) return std::isinf(a) ? 1 : 0;
  return boost::math::ibeta_inv(a, b, p, Quiet());
}
double expi(double x) {
  if (x == 0) return -kInfinity;
  if (std::isinf(x)) return x > 0 ? x : 0;
  return boost::math::expint(x, Quiet());
}
double exp1(double x) {
  if (x == 0) return kInfinity;
  if (!(x > 0)) return kNaN;
  return std::isinf(x) ? 0 : boost::math::expint(1u, x, Quiet());
}

Variable gammaln(const Variable& x) { return call_op("gammaln", {x}); }

/// x**(a - 1) exp(-x) / gamma(a); a power of 0 is not made by a logarithm.
Variable gamma_density(const Variable& a, const Variable& x) {
  return pow(x, a - 1.0) * exp(-x - gammaln(a));
}
/// x**(a - 1) (1 - x)**(b - 1) / beta(a, b).
Variable beta_density(const Variable& a, const Variable& b, const Variable& x) {
  return pow(x, a - 1.0) * pow(1.0 - x, b - 1.0) * exp(gammaln(a + b) - gammaln(a) - gammaln(b));
}

DECLARE_ELEMENTWISE(gamma, "special", {"x"})
    .comment("The gamma function, (x - 1)! of whole numbers.")
    .example("[1.0, 5.0]", "array([ 1., 24.])")
    .functions<OfDoubles<&gamma_of>, 1>(Floats{})
    .gradient([](const Differential& d) -> Partials {
      return {d.g * d.out * call_op("digamma", {d.x})};
    });

DECLARE_ELEMENTWISE(gammainc, "special", {"a", "x"})
    .comment(
        "The regularised lower incomplete gamma function: the probability that a gamma number "
        "of shape a is at most x. There is no gradient with respect to a.")
    .example("[1.0, 2.0], [1.0, 2.0]", "array([0.63212056, 0.59399415])")
    .functions<OfDoubles<&gammainc>, 2>(Floats{})
    .constant_input(0)
    .gradient([](const Differential& d) -> Partials {
      return {Variable(), d.g * gamma_density(d.x, d.y)};
    });

DECLARE_ELEMENTWISE(gammaincc, "special", {"a", "x"})
    .comment(
        "1 - gammainc(a, x), precise where that is nearly 1. There is no gradient with respect "
        "to a.")
    .example("[1.0, 2.0], [1.0, 2.0]", "array([0.36787944, 0.40600585])")
    .functions<OfDoubles<&gammaincc>, 2>(Floats{})
    .constant_input(0)
    .gradient([](const Differential& d) -> Partials {
      return {Variable(), -(d.g * gamma_density(d.x, d.y))};
    });

DECLARE_ELEMENTWISE(gammaincinv, "special", {"a", "p"})
    .comment("The x for which gammainc(a, x) is p. There is no gradient with respect to a.")
    .example("[1.0, 2.0], [0.5, 0.5]", "array([0.69314718, 1.67834699])")
    .functions<OfDoubles<&gammaincinv>, 2>(Floats{})
    .constant_input(0)
    .gradient([](const Differential& d) -> Partials {
      return {Variable(), d.g / gamma_density(d.x, d.out)};
    });

DECLARE_ELEMENTWISE(gammainccinv, "special", {"a", "q"})
    .comment("The x for which gammaincc(a, x) is q. There is no gradient with respect to a.")
    .example("[1.0, 2.0], [0.5, 0.5]", "array([0.69314718, 1.67834699])")
    .functions<OfDoubles<&gammainccinv>, 2>(Floats{})
    .constant_input(0)
    .gradient([](const Differential& d) -> Partials {
      return {Variable(), -(d.g / gamma_density(d.x, d.out))};
    });

/// The three inputs have a gradient for the last one alone.
Partials of_third(const Variable& partial) { return {Variable(), Variable(), partial}; }

DECLARE_ELEMENTWISE(betainc, "special", {"a", "b", "x"})
    .comment(
        "The regularised incomplete beta function: the probability that a beta number of "
        "shapes a and b is at most x. There is no gradient with respect to a and b.")
    .example("[1.0, 2.0], [1.0, 2.0], [0.3, 0.5]", "array([0.3, 0.5])")
    .functions<OfDoubles<&betainc>, 3>(Floats{})
    .constant_input(0)
    .constant_input(1)
    .gradient([](const Differential& d) -> Partials {
      return of_third(d.g * beta_density(d.x, d.y, d.z));
    });

DECLARE_ELEMENTWISE(betaincinv, "special", {"a", "b", "p"})
    .comment("The x for which betainc(a, b, x) is p. There is no gradient with respect to a and b.")
    .example("[1.0, 2.0], [1.0, 2.0], [0.3, 0.5]", "array([0.3, 0.5])")
    .functions<OfDoubles<&betaincinv>, 3>(Floats{})
    .constant_input(0)
    .constant_input(1)
    .gradient([](const Differential& d) -> Partials {
      return of_third(d.g / beta_density(d.x, d.y, d.out));
    });

DECLARE_ELEMENTWISE(expi, "special", {"x"})
    .singular()
    .comment("The exponential integral Ei: the integral of exp(t) / t from -infinity to x.")
    .example("[1.0, -1.0]", "array([ 1.89511782, -0.21938393])")
    .functions<OfDoubles<&expi>, 1>(Floats{})
    .gradient([](const Differential& d) -> Partials { return {d.g * (exp(d.x) / d.x)}; });

DECLARE_ELEMENTWISE(exp1, "special", {"x"})
    .singular()
    .comment("The exponential integral E1: the integral of exp(-t) / t from x to infinity.")
    .example("[1.0, 2.0]", "array([0.21938393, 0.04890051])")
    .functions<OfDoubles<&exp1>, 1>(Floats{})
    .gradient([](const Differential& d) -> Partials { return {-(d.g * (exp(-d.x) / d.x))}; });

}  // namespace
}  // namespace thunkvm
