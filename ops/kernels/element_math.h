// element_math.h: arithmetic of single elements as NumPy defines it, without undefined behaviour.
#pragma once

#include "thunks/dtype.h"

#include <cmath>
#include <complex>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace thunkvm {

template <class T>
inline constexpr bool is_complex_type = false;
template <class T>
inline constexpr bool is_complex_type<std::complex<T>> = true;

/// An unsigned type in which sums and products of T wrap around, as NumPy's integers do. At least
/// 32 bits, since narrower ones would be promoted to int, which may not overflow.
template <class T>
using Wrapping = std::conditional_t<(sizeof(T) > 4), std::uint64_t, std::uint32_t>;

template <class T>
constexpr Wrapping<T> wrapping(T value) {
  return static_cast<Wrapping<T>>(value);
}

template <class T>
constexpr bool truth(T x) {
  if constexpr (is_complex_type<T>) {
    return x.real() != 0 || x.imag() != 0;
  } else {
    return x != T(0);
  }
}

template <class T>
bool is_nan(T x) {
  if constexpr (is_complex_type<T>) {
    return std::isnan(x.real()) || std::isnan(x.imag());
  } else if constexpr (std::is_floating_point_v<T>) {
    return std::isnan(x);
  } else {
    return false;
  }
}

/// Orders complex numbers by their real parts, then by their imaginary ones. With a NaN nothing is
/// ordered.
template <class T>
bool less(T a, T b) {
  if constexpr (is_complex_type<T>) {
    if (a.real() == b.real()) return a.imag() < b.imag();
    return a.real() < b.real() && !std::isnan(a.imag()) && !std::isnan(b.imag());
  } else {
    return a < b;
  }
}
template <class T>
bool less_equal(T a, T b) {
  if constexpr (is_complex_type<T>) {
    if (a.real() == b.real()) return a.imag() <= b.imag();
    return a.real() < b.real() && !std::isnan(a.imag()) && !std::isnan(b.imag());
  } else {
    return a <= b;
  }
}

/// The larger one, or NaN if there is one.
template <class T>
T larger(T a, T b) {
  return less_equal(b, a) || is_nan(a) ? a : b;
}
template <class T>
T smaller(T a, T b) {
  return less_equal(a, b) || is_nan(a) ? a : b;
}

/// The plain formula: C's recovery of infinities is not NumPy's.
template <class T>
std::complex<T> multiply(std::complex<T> a, std::complex<T> b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

/// Smith's method, as NumPy has it: by the larger part of the divisor.
template <class T>
std::complex<T> divide(std::complex<T> a, std::complex<T> b) {
  const T real = std::fabs(b.real());
  const T imag = std::fabs(b.imag());
  if (real >= imag) {
    if (real == 0 && imag == 0) return {a.real() / real, a.imag() / real};
    const T ratio = b.imag() / b.real();
    const T scale = T(1) / (b.real() + b.imag() * ratio);
    return {(a.real() + a.imag() * ratio) * scale, (a.imag() - a.real() * ratio) * scale};
  }
  const T ratio = b.real() / b.imag();
  const T scale = T(1) / (b.imag() + b.real() * ratio);
  return {(a.real() * ratio + a.imag()) * scale, (a.imag() * ratio - a.real()) * scale};
}

/// Quotient rounded down and remainder with the divisor's sign. Integers divided by zero: 0 and
/// 0.
template <class T>
struct FloorDivision {
  T quotient;
  T remainder;
};

template <class T>
FloorDivision<T> floor_division(T a, T b) {
  if constexpr (std::is_floating_point_v<T>) {
    T remainder = std::fmod(a, b);
    if (b == 0) return {a / b, remainder};
    T quotient = (a - remainder) / b;
    if (remainder != 0) {
      if ((b < 0) != (remainder < 0)) {
        remainder += b;
        quotient -= T(1);
      }
    } else {
      remainder = std::copysign(T(0), b);
    }
    if (quotient == 0) return {std::copysign(T(0), a / b), remainder};
    // Nearly an integer: the nearest one.
    T floor = std::floor(quotient);
    if (quotient - floor > T(0.5)) floor += T(1);
    return {floor, remainder};
  } else {
    if (b == 0) return {T(0), T(0)};
    if constexpr (std::is_signed_v<T>) {
      if (b == T(-1)) return {static_cast<T>(0 - wrapping(a)), T(0)};  // the lowest value wraps
      T quotient = static_cast<T>(a / b);
      T remainder = static_cast<T>(a % b);
      if (remainder != 0 && (remainder < 0) != (b < 0)) {
        --quotient;
        remainder = static_cast<T>(remainder + b);
      }
      return {quotient, remainder};
    } else {
      return {static_cast<T>(a / b), static_cast<T>(a % b)};
    }
  }
}

/// By repeated squaring; `exponent` is not negative.
template <class T>
T integer_power(T base, T exponent) {
  Wrapping<T> result = 1;
  Wrapping<T> factor = wrapping(base);
  for (auto left = static_cast<std::make_unsigned_t<T>>(exponent); left != 0; left >>= 1) {
    if ((left & 1) != 0) result *= factor;
    factor *= factor;
  }
  return static_cast<T>(result);
}

/// As NumPy's npy_cpow: zero to any power with a positive real part is zero, small integer
/// exponents by squaring.
template <class T>
std::complex<T> complex_power(std::complex<T> a, std::complex<T> b) {
  using C = std::complex<T>;
  constexpr T kNaN = std::numeric_limits<T>::quiet_NaN();
  if (b == C(0)) return C(1);
  if (a == C(0)) return b.real() > 0 ? C(0) : C(kNaN, kNaN);
  const bool is_small_integer =
      b.imag() == 0 && std::fabs(b.real()) < 100 && std::trunc(b.real()) == b.real();
  if (!is_small_integer) return std::pow(a, b);
  const int n = static_cast<int>(b.real());
  if (n == 1) return a;
  if (n == 2) return multiply(a, a);
  if (n == 3) return multiply(a, multiply(a, a));
  C result = C(1);
  C factor = a;
  for (int left = n < 0 ? -n : n;;) {
    if ((left & 1) != 0) result = multiply(result, factor);
    left >>= 1;
    if (left == 0) break;
    factor = multiply(factor, factor);
  }
  return n < 0 ? divide(C(1), result) : result;
}

}  // namespace thunkvm
