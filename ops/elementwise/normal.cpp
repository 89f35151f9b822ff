// normal.cpp: the error function's relatives: its inverses, its scaled complement, the normal
// distribution. Values of inverses are Boost.Math's.
#include "ops/elementwise/elementwise.h"
#include "ops/elementwise/of_doubles.h"

#include <boost/math/special_functions/erf.hpp>

#include <cmath>
#include <limits>
#include <numbers>

namespace thunkvm {
namespace {

constexpr double kHalfRootPi = 0.5 / std::numbers::inv_sqrtpi;
constexpr double kRootHalf = 1.0 / std::numbers::sqrt2;
constexpr double kRootTwoPi = std::numbers::sqrt2 / std::numbers::inv_sqrtpi;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

double erfinv(double x) {
  if (x == 1 || x == -1) return std::copysign(kInfinity, x);
  return boost::math::erf_inv(x, Quiet());
}
double erfcinv(double x) {
  if (x == 0) return kInfinity;
  if (x == 2) return -kInfinity;
  return boost::math::erfc_inv(x, Quiet());
}

/// Up to 10 the product, with x**2 in two parts, so that no digit of the exponent is lost; beyond
/// it the asymptotic series (Abramowitz and Stegun 7.1.23).
double erfcx(double x) {
  if (x < 0) return 2 * std::exp(x * x) - erfcx(-x);
  if (x < 10) {
    const double head = std::round(x * 64) / 64, tail = x - head;
    return std::exp(head * head) * std::exp(tail * (x + head)) * std::erfc(x);
  }
  const double y = 1 / (2 * x * x);
  double term = 1, sum = 1;
  for (int k = 1; k <= 14 && std::isfinite(x); ++k) sum += term *= -(2 * k - 1) * y;
  return std::numbers::inv_sqrtpi / x * sum;
}

double ndtr(double x) { return 0.5 * std::erfc(-x * kRootHalf); }
double ndtri(double p) { return -std::numbers::sqrt2 * erfcinv(2 * p); }
double log_ndtr(double x) {
  if (x > 0) return std::log1p(-0.5 * std::erfc(x * kRootHalf));
  if (x > -1) return std::log(ndtr(x));
  return std::log(0.5 * erfcx(-x * kRootHalf)) - 0.5 * x * x;
}

DECLARE_ELEMENTWISE(erfinv, "special", {"x"})
    .singular()
    .comment("The inverse of the error function, of elements from -1 to 1.")
    .example("[0.0, 0.5]", "array([0.        , 0.47693628])")
    .functions<OfDoubles<&erfinv>, 1>(Floats{})
    .gradient([](const Differential& d) -> Partials {
      return {d.g * (kHalfRootPi * exp(square(d.out)))};
    });

DECLARE_ELEMENTWISE(erfcinv, "special", {"x"})
    .comment("The inverse of erfc, of elements from 0 to 2.")
    .example("[1.0, 0.5]", "array([0.        , 0.47693628])")
    .functions<OfDoubles<&erfcinv>, 1>(Floats{})
    .gradient([](const Differential& d) -> Partials {
      return {-(d.g * (kHalfRootPi * exp(square(d.out))))};
    });

DECLARE_ELEMENTWISE(erfcx, "special", {"x"})
    .comment("exp(x**2) erfc(x), without overflow for large elements.")
    .example("[0.0, 100.0]", "array([1.        , 0.00564161])")
    .functions<OfDoubles<&erfcx>, 1>(Floats{})
    .gradient([](const Differential& d) -> Partials {
      return {d.g * (2.0 * d.x * d.out - 2.0 * std::numbers::inv_sqrtpi)};
    });

DECLARE_ELEMENTWISE(ndtr, "special", {"x"})
    .comment("The probability that a standard normal number is at most x.")
    .example("[0.0, 1.0]", "array([0.5       , 0.84134475])")
    .functions<OfDoubles<&ndtr>, 1>(Floats{})
    .gradient([](const Differential& d) -> Partials {
      return {d.g * (exp(square(d.x) * -0.5) / kRootTwoPi)};
    });

DECLARE_ELEMENTWISE(ndtri, "special", {"p"})
    .singular()
    .comment("The number below which a standard normal number is with probability p.")
    .example("[0.5, 0.975]", "array([-0.        ,  1.95996398])")
    .functions<OfDoubles<&ndtri>, 1>(Floats{})
    .gradient([](const Differential& d) -> Partials {
      return {d.g * (kRootTwoPi * exp(square(d.out) * 0.5))};
    });

DECLARE_ELEMENTWISE(log_ndtr, "special", {"x"})
    .comment("The logarithm of ndtr, precise where that is 0.")
    .example("[0.0, -100.0]", "array([-6.93147181e-01, -5.00552421e+03])")
    .functions<OfDoubles<&log_ndtr>, 1>(Floats{})
    .gradient([](const Differential& d) -> Partials {
      // The density by the probability, both of them times exp(x**2 / 2) where x < 0.
      const Variable zero = weak_number(0.0);
      const Variable below = call_op("minimum", {d.x, zero});
      const Variable left =
          std::numbers::sqrt2 * std::numbers::inv_sqrtpi / call_op("erfcx", {below * -kRootHalf});
      const Variable above = call_op("maximum", {d.x, zero});
      const Variable right = exp(square(above) * -0.5) / (kRootTwoPi * call_op("ndtr", {above}));
      return {d.g * where(lt(d.x, zero), left, right)};
    });

}  // namespace
}  // namespace thunkvm
