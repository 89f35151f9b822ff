// continuous.h: continuous distributions as functions of random bits, NumPy's bit for bit: the same
// bits are read, and the same operations are done in the same order. Scales and locations are left
// to the graph, which has their gradients.
#pragma once

#include "ops/random/ziggurat.h"
#include "thunks/error.h"

#include <cmath>
#include <numbers>
#include <string>

namespace thunkvm::continuous {

template <class T>
T uniform(Pcg64& bits) {
  if constexpr (std::is_same_v<T, float>)
    return bits.next_float();
  else
    return bits.next_double();
}

/// G. Marsaglia, W. W. Tsang, A simple method for generating gamma variables, 2000; for shapes
/// below 1 J. H. Ahrens, U. Dieter, Computer methods for sampling from gamma, beta, Poisson and
/// binomial distributions, 1974.
template <class T>
T standard_gamma(Pcg64& bits, T shape) {
  if (shape == T(1)) return standard_exponential<T>(bits);
  if (shape == T(0)) return T(0);
  if (shape < T(1)) {
    for (;;) {
      const T u = uniform<T>(bits);
      const T v = standard_exponential<T>(bits);
      if (u <= T(1) - shape) {
        const T x = std::pow(u, T(1) / shape);
        if (x <= v) return x;
      } else {
        const T y = -std::log((T(1) - u) / shape);
        const T x = std::pow(T(1) - shape + shape * y, T(1) / shape);
        if (x <= v + y) return x;
      }
    }
  }
  const T b = shape - T(1) / T(3);
  const T c = T(1) / std::sqrt(T(9) * b);
  for (;;) {
    T x, v;
    do {
      x = standard_normal<T>(bits);
      v = T(1) + c * x;
    } while (v <= T(0));
    v = v * v * v;
    const T u = uniform<T>(bits);
    if (u < T(1) - T(0.0331) * (x * x) * (x * x)) return b * v;
    if (std::log(u) < T(0.5) * x * x + b * (T(1) - v + std::log(v))) return b * v;
  }
}

/// For parameters up to 1 by M. D. Joehnk, Erzeugung von betaverteilten und gammaverteilten
/// Zufallszahlen, 1964; else of two gamma variables.
inline double beta(Pcg64& bits, double a, double b) {
  if (a > 1 || b > 1) {
    const double of_a = standard_gamma<double>(bits, a);
    const double of_b = standard_gamma<double>(bits, b);
    return of_a / (of_a + of_b);
  }
  // So small that nearly all is 0 or 1.
  constexpr double kTiny = 3e-103;
  if (a < kTiny && b < kTiny) return (a + b) * bits.next_double() < a ? 1 : 0;
  for (;;) {
    const double u = bits.next_double();
    const double v = bits.next_double();
    const double x = std::pow(u, 1.0 / a);
    const double y = std::pow(v, 1.0 / b);
    const double sum = x + y;
    if (!(sum <= 1.0 && u + v > 0.0)) continue;
    if (x > 0 && y > 0) return x / sum;
    // One of them underflowed: in logarithms.
    const double difference = std::log(u) / a - std::log(v) / b;
    return difference > 0 ? std::exp(-std::log1p(std::exp(-difference)))
                          : std::exp(difference - std::log1p(std::exp(difference)));
  }
}

inline double standard_laplace(Pcg64& bits) {
  for (;;) {
    const double u = bits.next_double();
    if (u >= 0.5) return -std::log(2.0 - u - u);
    if (u > 0.0) return std::log(u + u);
  }
}

inline double standard_gumbel(Pcg64& bits) {
  for (;;) {
    const double u = 1.0 - bits.next_double();
    if (u < 1.0) return -std::log(-std::log(u));
  }
}

inline double standard_logistic(Pcg64& bits) {
  for (;;) {
    const double u = bits.next_double();
    if (u > 0.0) return std::log(u / (1.0 - u));
  }
}

inline double standard_cauchy(Pcg64& bits) {
  const double above = standard_normal<double>(bits);
  return above / standard_normal<double>(bits);
}

inline double standard_t(Pcg64& bits, double df) {
  const double above = standard_normal<double>(bits);
  const double below = standard_gamma<double>(bits, df / 2);
  return std::sqrt(df / 2) * above / std::sqrt(below);
}

inline double chisquare(Pcg64& bits, double df) {
  return 2.0 * standard_gamma<double>(bits, df / 2.0);
}

inline double f(Pcg64& bits, double dfnum, double dfden) {
  const double above = chisquare(bits, dfnum) * dfden;
  return above / (chisquare(bits, dfden) * dfnum);
}

inline double triangular(Pcg64& bits, double left, double mode, double right) {
  const char* const wrong = left > mode     ? "left > mode"
                            : mode > right  ? "mode > right"
                            : left == right ? "left == right"
                                            : nullptr;
  if (wrong != nullptr) throw Error(ErrorKind::Value, std::string("[triangular] ") + wrong);
  const double base = right - left;
  const double left_base = mode - left;
  const double u = bits.next_double();
  return u <= left_base / base ? left + std::sqrt(u * (left_base * base))
                               : right - std::sqrt((1.0 - u) * ((right - mode) * base));
}

/// The inverse Gaussian: J. R. Michael, W. R. Schucany, R. W. Haas, Generating random variates
/// using transformations with multiple roots, 1976.
inline double wald(Pcg64& bits, double mean, double scale) {
  double y = standard_normal<double>(bits);
  y = mean * y * y;
  const double d = 1 + std::sqrt(1 + 4 * scale / y);
  const double x = mean * (1 - 2 / d);
  return bits.next_double() <= mean / (mean + x) ? x : mean * mean / x;
}

/// D. J. Best, N. I. Fisher, Efficient simulation of the von Mises distribution, 1979.
inline double vonmises(Pcg64& bits, double mu, double kappa) {
  constexpr double kPi = std::numbers::pi;
  if (std::isnan(kappa)) return kappa;
  if (kappa < 1e-8) return kPi * (2 * bits.next_double() - 1);
  double s;
  if (kappa < 1e-5) {
    s = 1. / kappa + kappa;
  } else if (kappa <= 1e6) {
    const double r = 1 + std::sqrt(1 + 4 * kappa * kappa);
    const double rho = (r - std::sqrt(2 * r)) / (2 * kappa);
    s = (1 + rho * rho) / (2 * rho);
  } else {  // a normal distribution on the circle
    double x = mu + std::sqrt(1. / kappa) * standard_normal<double>(bits);
    if (x < -kPi) x += 2 * kPi;
    if (x > kPi) x -= 2 * kPi;
    return x;
  }
  double w;
  for (;;) {
    const double z = std::cos(kPi * bits.next_double());
    w = (1 + s * z) / (s + z);
    const double y = kappa * (s - w);
    const double v = bits.next_double();
    if (y * (2 - y) - v >= 0 || std::log(y / v) + 1 - y >= 0) break;
  }
  double x = std::acos(w);
  if (bits.next_double() < 0.5) x = -x;
  x += mu;
  const double turned = std::fmod(std::fabs(x) + kPi, 2 * kPi) - kPi;
  return x < 0 ? -turned : turned;
}

}  // namespace thunkvm::continuous
