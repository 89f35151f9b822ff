// lu_factors.h: the LU factors of one matrix after another: its determinant, its inverse and the
// solutions of its systems.
#pragma once

#include "ops/linalg/lapack.h"
#include "ops/linalg/packed_factors.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

namespace thunkvm {

/// A product that neither overflows nor underflows: a number times a power of two.
template <class T>
struct ScaledProduct {
  T mantissa = T(1);
  std::int64_t exponent = 0;

  ScaledProduct& operator*=(T factor) {
    mantissa *= scaled(factor, exponent);
    mantissa = scaled(mantissa, exponent);
    return *this;
  }
  ScaledProduct& operator*=(const ScaledProduct& other) {
    exponent += other.exponent;
    return *this *= other.mantissa;
  }
  T value() const { return times_power(mantissa, exponent); }

  /// `x` 2**exponent.
  static T times_power(T x, std::int64_t exponent) {
    const int power = static_cast<int>(std::clamp<std::int64_t>(exponent, -100'000, 100'000));
    if constexpr (std::is_floating_point_v<T>)
      return std::ldexp(x, power);
    else
      return T(std::ldexp(x.real(), power), std::ldexp(x.imag(), power));
  }

 private:
  /// `x` as a number near 1, and its power of two added to `exponent`.
  static T scaled(T x, std::int64_t& exponent) {
    const auto size = std::max(std::abs(std::real(x)), std::abs(std::imag(x)));
    if (!(size > 0) || !std::isfinite(size)) return x;
    int power = 0;
    std::frexp(size, &power);
    exponent += power;
    return times_power(x, -power);
  }
};

/// The LU factors, with exchanges of rows, of an (n, n) matrix that lies in `factors` in Fortran
/// order.
template <class T>
struct LuFactors {
  using Real = lapack::Real<T>;

  explicit LuFactors(int n)
      : n(n),
        factors(static_cast<std::size_t>(n) * static_cast<std::size_t>(n)),
        pivots(static_cast<std::size_t>(n)) {}

  /// Takes the diagonal of U and the exchanges of factors that are there, for the determinant.
  void read_diagonal(const PackedFactors<T>& from) {
    for (int i = 0; i < n; ++i) {
      const auto at = static_cast<std::size_t>(i);
      factors[at * (static_cast<std::size_t>(n) + 1)] = from.diagonal(i);
      pivots[at] = static_cast<int>(from.exchanges[i]) + 1;  // LAPACK counts from 1
    }
  }
  /// Copies a matrix into `factors`.
  void read(const T* matrix) { std::copy_n(matrix, factors.size(), factors.data()); }
  /// Factors the matrix in `factors`. Returns k > 0 if the k-th pivot is exactly zero.
  int factor() { return n > 0 ? lapack::getrf(n, n, factors.data(), pivots.data()) : 0; }
  /// sides = a^-1 sides, k of them in Fortran order.
  void solve(int k, T* sides) const {
    if (n > 0 && k > 0) lapack::getrs(n, k, factors.data(), pivots.data(), sides);
  }
  /// The inverse, in Fortran order.
  void invert(T* out) const {
    std::fill_n(out, factors.size(), T(0));
    for (std::size_t i = 0; i < factors.size(); i += static_cast<std::size_t>(n) + 1) out[i] = T(1);
    solve(n, out);
  }
  T diagonal(int i) const {
    return factors[static_cast<std::size_t>(i) * (static_cast<std::size_t>(n) + 1)];
  }
  /// The product of the diagonal of U; every exchange of rows turns its sign.
  ScaledProduct<T> determinant() const {
    ScaledProduct<T> product;
    for (int i = 0; i < n; ++i) {
      product *= diagonal(i);
      if (pivots[static_cast<std::size_t>(i)] != i + 1) product.mantissa = -product.mantissa;
    }
    return product;
  }
  /// The sign of the determinant, and the logarithm of its absolute value.
  std::pair<T, Real> sign_and_log() const {
    T sign(1);
    Real log = 0;
    for (int i = 0; i < n; ++i) {
      const T factor = diagonal(i);
      const Real size = std::abs(factor);
      if (size == 0) sign = T(0);
      if (size > 0) sign *= factor / size;
      if (std::isnan(size)) sign = T(size);
      if (pivots[static_cast<std::size_t>(i)] != i + 1) sign = -sign;
      log += std::log(size);
    }
    return {sign, log};
  }
  /// True if the inverse can be used without loss.
  bool far_from_singular() const {
    Real least = std::numeric_limits<Real>::infinity(), most = 0;
    for (int i = 0; i < n; ++i) {
      const Real size = std::abs(diagonal(i));
      if (!std::isfinite(size)) return false;
      least = std::min(least, size);
      most = std::max(most, size);
    }
    return least > std::sqrt(std::numeric_limits<Real>::epsilon()) * most;
  }

  int n;
  std::vector<T> factors;
  std::vector<int> pivots;
};

}  // namespace thunkvm
