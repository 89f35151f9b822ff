// binomial.h: binomial counts, NumPy's bit for bit. What depends on the parameters alone is kept
// from one count to the next.
#pragma once

#include "ops/random/pcg64.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace thunkvm {

class Binomial {
 public:
  std::int64_t operator()(Pcg64& bits, std::int64_t n, double p) {
    if (n == 0 || p == 0.0) return 0;
    const bool few = p <= 0.5;
    const double q = few ? p : 1.0 - p;
    const bool small = q * static_cast<double>(n) <= 30.0;
    const std::int64_t x = small ? by_inversion(bits, n, q) : by_rejection(bits, n, q);
    return few ? x : n - x;
  }

 private:
  bool is_kept(std::int64_t n, double p) {
    if (n == n_ && p == p_) return true;
    n_ = n;
    p_ = p;
    return false;
  }

  std::int64_t by_inversion(Pcg64& bits, std::int64_t n, double p) {
    const double count = static_cast<double>(n);
    if (!is_kept(n, p)) {
      q_ = 1.0 - p;
      none_ = std::exp(count * std::log1p(-p));
      const double mean = count * p;
      bound_ = static_cast<std::int64_t>(std::min(count, mean + 10.0 * std::sqrt(mean * q_ + 1)));
    }
    std::int64_t x = 0;
    double px = none_;
    double u = bits.next_double();
    while (u > px) {
      if (++x > bound_) {
        x = 0;
        px = none_;
        u = bits.next_double();
      } else {
        u -= px;
        px = (static_cast<double>(n - x + 1) * p * px) / (static_cast<double>(x) * q_);
      }
    }
    return x;
  }

  /// The method BTPE: V. Kachitvichyanukul, B. W. Schmeiser, Binomial random variate generation,
  /// 1988, with the names and the steps from there.
  std::int64_t by_rejection(Pcg64& bits, std::int64_t n, double p) {
    const double count = static_cast<double>(n);
    if (!is_kept(n, p)) set_rejection(count, p);
    const double r = r_, q = q_, nrq = count * r * q;
    for (;;) {
      const double u = bits.next_double() * p4_;
      double v = bits.next_double();
      std::int64_t y;
      if (u <= p1_)  // the triangle
        return static_cast<std::int64_t>(std::floor(xm_ - p1_ * v + u));
      if (u <= p2_) {  // the parallelograms
        const double x = xl_ + (u - p1_) / c_;
        v = v * c_ + 1.0 - std::fabs(static_cast<double>(m_) - x + 0.5) / p1_;
        if (v > 1.0) continue;
        y = static_cast<std::int64_t>(std::floor(x));
      } else if (u <= p3_) {  // the left tail
        const double x = std::floor(xl_ + std::log(v) / lambda_l_);
        if (x < 0 || v == 0.0) continue;
        y = static_cast<std::int64_t>(x);
        v = v * (u - p2_) * lambda_l_;
      } else {  // the right tail
        const double x = std::floor(xr_ - std::log(v) / lambda_r_);
        if (x > count || v == 0.0) continue;
        y = static_cast<std::int64_t>(x);
        v = v * (u - p3_) * lambda_r_;
      }
      if (accepts(y, n, v, nrq)) return y;
    }
  }

  void set_rejection(double count, double p) {
    r_ = std::min(p, 1.0 - p);
    q_ = 1.0 - r_;
    const double fm = count * r_ + r_;
    m_ = static_cast<std::int64_t>(std::floor(fm));
    const double m = static_cast<double>(m_);
    p1_ = std::floor(2.195 * std::sqrt(count * r_ * q_) - 4.6 * q_) + 0.5;
    xm_ = m + 0.5;
    xl_ = xm_ - p1_;
    xr_ = xm_ + p1_;
    c_ = 0.134 + 20.5 / (15.3 + m);
    double a = (fm - xl_) / (fm - xl_ * r_);
    lambda_l_ = a * (1.0 + a / 2.0);
    a = (xr_ - fm) / (xr_ * q_);
    lambda_r_ = a * (1.0 + a / 2.0);
    p2_ = p1_ * (1.0 + 2.0 * c_);
    p3_ = p2_ + c_ / lambda_l_;
    p4_ = p3_ + c_ / lambda_r_;
  }

  bool accepts(std::int64_t y, std::int64_t n, double v, double nrq) const {
    const double r = r_, q = q_, count = static_cast<double>(n), m = static_cast<double>(m_);
    const std::int64_t distance = y > m_ ? y - m_ : m_ - y;
    const double k = static_cast<double>(distance);
    if (!(distance > 20 && k < nrq / 2.0 - 1)) {  // by the recursion of the probabilities
      const double s = r / q;
      const double a = s * static_cast<double>(n + 1);
      double f = 1.0;
      for (std::int64_t i = m_ + 1; i <= y; ++i) f *= a / static_cast<double>(i) - s;
      for (std::int64_t i = y + 1; i <= m_; ++i) f /= a / static_cast<double>(i) - s;
      return v <= f;
    }
    const double rho = (k / nrq) * ((k * (k / 3.0 + 0.625) + 0.16666666666666666) / nrq + 0.5);
    const double t = static_cast<double>(-distance * distance) / (2 * nrq);
    const double log_v = std::log(v);
    if (log_v < t - rho) return true;
    if (log_v > t + rho) return false;
    const double x1 = static_cast<double>(y) + 1, f1 = m + 1;
    const double z = count + 1 - m, w = count - static_cast<double>(y) + 1;
    // Stirling's formula. NumPy's up to 2.4 has it as the paper prints it: all four corrections are
    // added, and 13680 stands for 13860. Later ones have other counts.
    return log_v <= xm_ * std::log(f1 / x1) +
                        (static_cast<double>(n - m_) + 0.5) * std::log(z / w) +
                        static_cast<double>(y - m_) * std::log(w * r / (x1 * q)) + correction(f1) +
                        correction(z) + correction(x1) + correction(w);
  }

  static double correction(double x) {
    const double x2 = x * x;
    return (13680. - (462. - (132. - (99. - 140. / x2) / x2) / x2) / x2) / x / 166320.;
  }

  std::int64_t n_ = -1, m_ = 0, bound_ = 0;
  double p_ = 0, r_ = 0, q_ = 0, none_ = 0, p1_ = 0, xm_ = 0, xl_ = 0, xr_ = 0, c_ = 0;
  double lambda_l_ = 0, lambda_r_ = 0, p2_ = 0, p3_ = 0, p4_ = 0;
};

}  // namespace thunkvm
