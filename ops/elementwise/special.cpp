// special.cpp: functions of statistics and of neural networks, element by element. Integers are
// computed in the float dtype that NumPy would pick: int8 in float16, int16 in float32, larger ones
// in float64.
#include "ops/elementwise/elementwise.h"
#include "ops/kernels/element_math.h"

#include <numbers>

namespace thunkvm {
namespace {

constexpr double kTwoOverRootPi = 2.0 * std::numbers::inv_sqrtpi;

Variable bell_curve(const Variable& x) { return kTwoOverRootPi * exp(-square(x)); }

struct Erf : Vectorised<VectorFunction::Erf> {
  template <class T>
  static constexpr const char* c_number() {
    return std::is_same_v<T, double> ? "erf({0})" : "erff({0})";
  }
  template <class T>
  T operator()(T x) const {
    return std::erf(x);
  }
};
DECLARE_ELEMENTWISE(erf, "special", {"x"})
    .comment("Error function: 2 / sqrt(pi) times the integral of exp(-t**2) from 0 to x.")
    .example("[0.0, 1.0]", "array([0.        , 0.84270079])")
    .functions<Erf, 1>(Floats{})
    .gradient([](const Differential& d) -> Partials { return {d.g * bell_curve(d.x)}; });

struct Erfc : Vectorised<VectorFunction::Erfc> {
  template <class T>
  static constexpr const char* c_number() {
    return std::is_same_v<T, double> ? "erfc({0})" : "erfcf({0})";
  }
  template <class T>
  T operator()(T x) const {
    return std::erfc(x);
  }
};
DECLARE_ELEMENTWISE(erfc, "special", {"x"})
    .comment("1 - erf(x), precise for large elements too.")
    .example("[0.0, 1.0]", "array([1.        , 0.15729921])")
    .functions<Erfc, 1>(Floats{})
    .gradient([](const Differential& d) -> Partials { return {-(d.g * bell_curve(d.x))}; });

// The functions with a sign argument: std::lgamma leaves the sign in a global, which threads share.
struct LogGamma {
  double operator()(double x) const {
    int sign = 0;
    return ::lgamma_r(x, &sign);
  }
  float operator()(float x) const {
    int sign = 0;
    return ::lgammaf_r(x, &sign);
  }
};
DECLARE_ELEMENTWISE(gammaln, "special", {"x"})
    .singular()
    .comment("Logarithm of the magnitude of the gamma function.")
    .example("[1.0, 5.0]", "array([0.        , 3.17805383])")
    .functions<LogGamma, 1>(Floats{})
    .gradient([](const Differential& d) -> Partials { return {d.g * call_op("digamma", {d.x})}; });

/// By reflection to x > 0, recurrence up to x >= 10 and the asymptotic series there (Abramowitz and
/// Stegun 6.3.5, 6.3.7, 6.3.18).
double digamma(double x) {
  if (x == 0) return -std::copysign(std::numeric_limits<double>::infinity(), x);
  double result = 0;
  if (x < 0) {
    const double distance = x - std::round(x);  // from a pole, with all digits
    if (distance == 0) return std::numeric_limits<double>::quiet_NaN();
    result = -std::numbers::pi / std::tan(std::numbers::pi * distance);
    x = 1 - x;
  }
  for (; x < 10; x += 1) result -= 1 / x;
  const double y = 1 / (x * x);
  const double series =
      y * (1.0 / 12 -
           y * (1.0 / 120 -
                y * (1.0 / 252 -
                     y * (1.0 / 240 - y * (1.0 / 132 - y * (691.0 / 32760 - y * (1.0 / 12)))))));
  return result + std::log(x) - 0.5 / x - series;
}

struct Digamma {
  template <class T>
  T operator()(T x) const {
    return static_cast<T>(digamma(static_cast<double>(x)));
  }
};
DECLARE_ELEMENTWISE(digamma, "special", {"x"})
    .singular()
    .comment("Logarithmic derivative of the gamma function. Source: Abramowitz and Stegun, 6.3.")
    .example("[1.0, 2.0]", "array([-0.57721566,  0.42278434])")
    .functions<Digamma, 1>(Floats{})
    .gradient([](const Differential& d) -> Partials {
      return {d.g * call_op("polygamma", {weak_number(1.0), d.x})};
    });

/// The sum of (x + k)^-s over k >= 0, for x > 0 and s >= 2: term by term up to x >= 10 and x >= s,
/// the rest by the Euler-Maclaurin formula, whose terms are small from there on. Below x = s each
/// term is less than half of the one before, or nearly so.
double positive_zeta(double s, double x) {
  double result = 0;
  for (const double end = std::max(10.0, s); x < end; x += 1) {
    const double term = std::pow(x, -s);
    result += term;
    if (term <= result * (std::numeric_limits<double>::epsilon() / 8)) return result;
  }
  // B_2k / (2k)!
  constexpr double kCoefficients[] = {1.0 / 12,          -1.0 / 720,
                                      1.0 / 30240,       -1.0 / 1209600,
                                      1.0 / 47900160,    -691.0 / 1307674368000,
                                      1.0 / 74724249600, -3617.0 / 10670622842880000};
  const double power = std::pow(x, -s);
  result += std::pow(x, 1 - s) / (s - 1) + 0.5 * power;
  double factor = s / x;  // s (s + 1) ... (s + 2k) / x^(2k + 1)
  double last = s;
  for (double coefficient : kCoefficients) {
    result += power * factor * coefficient;
    factor *= (last + 1) * (last + 2) / (x * x);
    last += 2;
  }
  return result;
}

/// The same sum for every x, and whole s. Where x < 0, with f its fraction, the terms below 0 are
/// those of two sums over positive numbers: from 1 - f, less those from 1 - x.
double hurwitz_zeta(double s, double x) {
  if (x > 0) return positive_zeta(s, x);
  const double fraction = x - std::floor(x);
  if (fraction == 0 || std::isinf(x)) return std::numeric_limits<double>::infinity();
  const double below = positive_zeta(s, std::ceil(x) - x) - positive_zeta(s, 1 - x);
  return positive_zeta(s, fraction) + (std::fmod(s, 2) == 0 ? below : -below);
}

double polygamma(double n, double x) {
  if (n == 0) return digamma(x);
  if (!(n > 0) || n != std::floor(n) || std::isnan(x))
    return std::numeric_limits<double>::quiet_NaN();
  const double magnitude = std::tgamma(n + 1) * hurwitz_zeta(n + 1, x);
  return std::fmod(n, 2) == 0 ? -magnitude : magnitude;
}

struct Polygamma {
  template <class T>
  T operator()(T n, T x) const {
    return static_cast<T>(polygamma(static_cast<double>(n), static_cast<double>(x)));
  }
};
DECLARE_ELEMENTWISE(polygamma, "special", {"n", "x"})
    .comment(
        "The n-th derivative of digamma; n is a whole number, with respect to which there is "
        "no gradient. Source: Abramowitz and Stegun, 6.4.10, with the Euler-Maclaurin "
        "formula for the zeta function.")
    .example("[1.0, 2.0], [1.0, 1.0]", "array([ 1.64493407, -2.40411381])")
    .functions<Polygamma, 2>(Floats{})
    .constant_input(0)
    .gradient([](const Differential& d) -> Partials {
      return {Variable(), d.g * call_op("polygamma", {d.x + 1.0, d.y})};
    });

/// exp(-|x|), which never overflows.
template <class T>
void exp_of_minus_magnitude(std::int64_t n, T* out, const T* x) {
  for (std::int64_t i = 0; i < n; ++i) out[i] = -std::fabs(x[i]);
  vector_kernel<T>(VectorFunction::Exp)(n, out, out, nullptr);
}

struct Sigmoid {
  template <class T>
  T operator()(T x) const {
    const T small = std::exp(-std::fabs(x));  // never overflows
    return (x < 0 ? small : T(1)) / (T(1) + small);
  }
  template <std::floating_point T>
  static void block(std::int64_t n, T* out, const T* x) {
    T small[kElementBlock];
    exp_of_minus_magnitude(n, small, x);
    for (std::int64_t i = 0; i < n; ++i) out[i] = (x[i] < 0 ? small[i] : T(1)) / (T(1) + small[i]);
  }
};
DECLARE_ELEMENTWISE(sigmoid, "special", {"x"})
    .comment("Logistic function 1 / (1 + exp(-x)) of each element.")
    .example("[0.0, 1.0]", "array([0.5       , 0.73105858])")
    .functions<Sigmoid, 1>(Floats{})
    .gradient([](const Differential& d) -> Partials { return {d.g * (d.out * (1.0 - d.out))}; });

struct Softplus {
  template <class T>
  T operator()(T x) const {
    return std::log1p(std::exp(-std::fabs(x))) + (x < 0 ? T(0) : x);
  }
  template <std::floating_point T>
  static void block(std::int64_t n, T* out, const T* x) {
    T small[kElementBlock];
    exp_of_minus_magnitude(n, small, x);
    vector_kernel<T>(VectorFunction::Log1p)(n, small, small, nullptr);
    for (std::int64_t i = 0; i < n; ++i) out[i] = small[i] + (x[i] < 0 ? T(0) : x[i]);
  }
};
DECLARE_ELEMENTWISE(softplus, "special", {"x"})
    .comment("log(1 + exp(x)) of each element, without overflow.")
    .example("[0.0, 1000.0]", "array([6.93147181e-01, 1.00000000e+03])")
    .functions<Softplus, 1>(Floats{})
    .gradient([](const Differential& d) -> Partials { return {d.g * call_op("sigmoid", {d.x})}; });

struct LogAddExp {
  template <class T>
  static constexpr const char* c_function() {
    return std::is_same_v<T, double> ? "static inline f64 {F}(f64 a, f64 b) {\n"
                                       "  if (a == b) return a + 0.693147180559945309417232;\n"
                                       "  const f64 distance = a - b;\n"
                                       "  if (distance > 0) return a + log1p(exp(-distance));\n"
                                       "  return b + log1p(exp(distance));\n"
                                       "}\n"
                                     : "static inline f32 {F}(f32 a, f32 b) {\n"
                                       "  if (a == b) return a + 0.693147180559945309417232f;\n"
                                       "  const f32 distance = a - b;\n"
                                       "  if (distance > 0) return a + log1pf(expf(-distance));\n"
                                       "  return b + log1pf(expf(distance));\n"
                                       "}\n";
  }
  template <class T>
  static constexpr const char* c_number() {
    return "{F}({0}, {1})";
  }
  template <class T>
  T operator()(T a, T b) const {
    if (a == b) return a + std::numbers::ln2_v<T>;  // infinities have no distance
    const T distance = a - b;
    if (distance > 0) return a + std::log1p(std::exp(-distance));
    return b + std::log1p(std::exp(distance));
  }
  template <std::floating_point T>
  static void block(std::int64_t n, T* out, const T* a, const T* b) {
    T small[kElementBlock];
    for (std::int64_t i = 0; i < n; ++i) small[i] = a[i] - b[i];
    exp_of_minus_magnitude(n, small, small);
    vector_kernel<T>(VectorFunction::Log1p)(n, small, small, nullptr);
    for (std::int64_t i = 0; i < n; ++i)
      out[i] =
          a[i] == b[i] ? a[i] + std::numbers::ln2_v<T> : (a[i] > b[i] ? a[i] : b[i]) + small[i];
  }
};
DECLARE_ELEMENTWISE(logaddexp, "special", {"x", "y"})
    .comment("log(exp(x) + exp(y)), element by element, without overflow.")
    .example("[0.0, 1000.0], [0.0, 1000.0]", "array([6.93147181e-01, 1.00069315e+03])")
    .functions<LogAddExp, 2>(Floats{})
    .gradient([](const Differential& d) -> Partials {
      // Equal infinities share it as equal numbers do.
      const Variable infinite = call_op("logical_and", {eq(d.x, d.y), call_op("isinf", {d.x})});
      const Variable distance = where(infinite, weak_number(0.0), d.x - d.y);
      return {d.g * call_op("sigmoid", {distance}), d.g * call_op("sigmoid", {-distance})};
    });

}  // namespace
}  // namespace thunkvm
