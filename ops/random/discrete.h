// discrete.h: distributions of counts as functions of random bits, NumPy's bit for bit: the same
// bits are read, and the same operations are done in the same order.
#pragma once

#include "ops/random/continuous.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace thunkvm::discrete {

/// A count from a float64 that may be too large for one, as the processor converts it.
inline std::int64_t count(double x) {
  return x >= 0x1p63 || x < -0x1p63 || std::isnan(x) ? std::numeric_limits<std::int64_t>::min()
                                                     : static_cast<std::int64_t>(x);
}

/// The logarithm of the gamma function (S. Zhang, J. Jin, Computation of special functions, 1996):
/// NumPy's, since a better one would accept other numbers.
inline double log_gamma(double x) {
  static constexpr double kA[10] = {
      8.333333333333333e-02, -2.777777777777778e-03, 7.936507936507937e-04, -5.952380952380952e-04,
      8.417508417508418e-04, -1.917526917526918e-03, 6.410256410256410e-03, -2.955065359477124e-02,
      1.796443723688307e-01, -1.39243221690590e+00};
  if (x == 1.0 || x == 2.0) return 0.0;
  const std::int64_t n = x < 7.0 ? static_cast<std::int64_t>(7 - x) : 0;
  double x0 = x + static_cast<double>(n);
  const double x2 = (1.0 / x0) * (1.0 / x0);
  constexpr double kLogOf2Pi = 1.8378770664093453e+00;
  double sum = kA[9];
  for (int k = 8; k >= 0; --k) {
    sum *= x2;
    sum += kA[k];
  }
  double log = sum / x0 + 0.5 * kLogOf2Pi + (x0 - 0.5) * std::log(x0) - x0;
  if (x < 7.0)
    for (std::int64_t k = 1; k <= n; ++k) {
      log -= std::log(x0 - 1.0);
      x0 -= 1.0;
    }
  return log;
}

/// W. Hoermann, The transformed rejection method for generating Poisson random variables, 1993; for
/// means below 10 a product of uniform numbers.
inline std::int64_t poisson(Pcg64& bits, double lam) {
  if (lam == 0) return 0;
  if (lam < 10) {
    const double end = std::exp(-lam);
    double product = 1.0;
    for (std::int64_t n = 0;; ++n) {
      product *= bits.next_double();
      if (!(product > end)) return n;
    }
  }
  const double log_lam = std::log(lam);
  const double b = 0.931 + 2.53 * std::sqrt(lam);
  const double a = -0.059 + 0.02483 * b;
  const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4);
  const double vr = 0.9277 - 3.6224 / (b - 2);
  for (;;) {
    const double u = bits.next_double() - 0.5;
    const double v = bits.next_double();
    const double us = 0.5 - std::fabs(u);
    const std::int64_t k = count(std::floor((2 * a / us + b) * u + lam + 0.43));
    if (us >= 0.07 && v <= vr) return k;
    if (k < 0 || (us < 0.013 && v > us)) continue;
    if (std::log(v) + std::log(inverse_alpha) - std::log(a / (us * us) + b) <=
        -lam + static_cast<double>(k) * log_lam - log_gamma(static_cast<double>(k) + 1))
      return k;
  }
}

inline std::int64_t negative_binomial(Pcg64& bits, double n, double p) {
  const double mean = ((1 - p) / p) * continuous::standard_gamma<double>(bits, n);
  return poisson(bits, mean);
}

inline std::int64_t geometric(Pcg64& bits, double p) {
  if (p >= 0.333333333333333333333333) {
    double sum = p, product = p;
    const double u = bits.next_double();
    std::int64_t x = 1;
    while (u > sum) {
      product *= 1.0 - p;
      sum += product;
      ++x;
    }
    return x;
  }
  const double z = std::ceil(-standard_exponential<double>(bits) / std::log1p(-p));
  return z >= 0x1p63 ? std::numeric_limits<std::int64_t>::max() : static_cast<std::int64_t>(z);
}

/// A. W. Kemp, Efficient generation of logarithmically distributed pseudo-random variables, 1981.
inline std::int64_t logseries(Pcg64& bits, double p) {
  const double r = std::log1p(-p);
  for (;;) {
    const double v = bits.next_double();
    if (v >= p) return 1;
    const double q = -std::expm1(r * bits.next_double());
    if (v <= q * q) {
      const std::int64_t x = count(std::floor(1 + std::log(v) / std::log(q)));
      if (x < 1 || v == 0.0) continue;
      return x;
    }
    return v >= q ? 1 : 2;
  }
}

/// L. Devroye, Non-uniform random variate generation, 1986, X.6.1.
inline std::int64_t zipf(Pcg64& bits, double a) {
  if (a >= 1025) return 1;  // above, `b` overflows
  constexpr auto kMost = static_cast<double>(std::numeric_limits<std::int64_t>::max());
  const double am1 = a - 1.0;
  const double b = std::pow(2.0, am1);
  const double least = std::pow(kMost, -am1);
  for (;;) {
    const double u01 = bits.next_double();
    const double u = u01 * least + (1 - u01);
    const double v = bits.next_double();
    const double x = std::floor(std::pow(u, -1.0 / am1));
    if (x > kMost || x < 1.0) continue;
    const double t = std::pow(1.0 + 1.0 / x, am1);
    if (v * x * (t - 1.0) / (b - 1.0) <= t / b) return count(x);
  }
}

}  // namespace thunkvm::discrete
