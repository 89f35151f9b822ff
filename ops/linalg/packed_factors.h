// packed_factors.h: what follows from the LU factors of a matrix that `lu_factors` made.
#pragma once

#include "ops/linalg/lapack.h"

#include <algorithm>
#include <cstdint>

namespace thunkvm {

/// The LU factors of an (n, n) matrix in one matrix in C order, and the row that each row was
/// exchanged with, counted from 0.
template <class T>
struct PackedFactors {
  int n;
  const T* packed;
  const std::int64_t* exchanges;

  T diagonal(std::int64_t i) const { return packed[i * (n + 1)]; }
  /// The first element of the diagonal of U that is exactly zero, counted from 1; 0: none.
  int zero() const {
    for (int i = 0; i < n; ++i)
      if (diagonal(i) == T(0)) return i + 1;
    return 0;
  }
  /// sides = a^-1 sides, k of them in C order; or with the transpose of a.
  void solve(bool transposed, int k, T* sides) const {
    if (n == 0 || k == 0) return;
    const auto exchange = [&](std::int64_t i) {
      if (exchanges[i] != i)
        std::swap_ranges(sides + i * k, sides + (i + 1) * k, sides + exchanges[i] * k);
    };
    if (!transposed) {
      for (int i = 0; i < n; ++i) exchange(i);
      lapack::trsm(true, false, true, n, k, packed, sides);
      lapack::trsm(false, false, false, n, k, packed, sides);
    } else {
      lapack::trsm(false, true, false, n, k, packed, sides);
      lapack::trsm(true, true, true, n, k, packed, sides);
      for (int i = n; i-- > 0;) exchange(i);
    }
  }
  /// The inverse, in C order.
  void invert(T* out) const {
    std::fill_n(out, std::int64_t{n} * n, T(0));
    for (std::int64_t i = 0; i < n; ++i) out[i * (n + 1)] = T(1);
    solve(false, n, out);
  }
};

}  // namespace thunkvm
