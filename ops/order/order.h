// order.h: the order in which elements are sorted, NumPy's: NaN comes last, complex numbers go by
// their real parts and then their imaginary ones.
#pragma once

#include "thunks/dtype.h"

#include <complex>

namespace thunkvm {

template <class T>
bool is_nan_of(const T& x) {
  if constexpr (std::is_same_v<T, Half>)
    return static_cast<float>(x) != static_cast<float>(x);
  else
    return x != x;
}

/// Less, of numbers that are no NaN.
template <class T>
bool less_of(const T& a, const T& b) {
  if constexpr (std::is_same_v<T, Half>)
    return static_cast<float>(a) < static_cast<float>(b);
  else
    return a < b;
}

/// True if `a` comes before `b`.
template <class T>
struct Before {
  bool operator()(const T& a, const T& b) const {
    return less_of(a, b) || (is_nan_of(b) && !is_nan_of(a));
  }
};
template <class R>
struct Before<std::complex<R>> {
  bool operator()(const std::complex<R>& a, const std::complex<R>& b) const {
    const Before<R> before;
    // A NaN in either part comes after all numbers, one in the real part last of all.
    const auto rank = [](const std::complex<R>& x) {
      return (is_nan_of(x.real()) ? 2 : 0) + (is_nan_of(x.imag()) ? 1 : 0);
    };
    if (rank(a) != rank(b)) return rank(a) < rank(b);
    if (before(a.real(), b.real())) return true;
    if (before(b.real(), a.real())) return false;
    return before(a.imag(), b.imag());
  }
};

}  // namespace thunkvm
