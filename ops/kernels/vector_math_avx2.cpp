// vector_math_avx2.cpp: the kernels of vector_math.h for AVX2 with FMA. This file alone is compiled
// for them.
#include "ops/kernels/vector_lanes.h"

#include <immintrin.h>

namespace thunkvm {
namespace {

struct DoubleLanes {
  using Number = double;
  using V = __m256d;
  static constexpr int kWidth = 4;
  static constexpr const char* kPrefix = "_ZGVdN4";
  static constexpr const char* kSuffix = "";

  static __m256i first(std::int64_t n) {
    return _mm256_cmpgt_epi64(_mm256_set1_epi64x(n), _mm256_setr_epi64x(0, 1, 2, 3));
  }
  static V load(const double* p) { return _mm256_loadu_pd(p); }
  static V load_some(const double* p, std::int64_t n) {
    const __m256i mask = first(n);
    return _mm256_blendv_pd(splat(*p), _mm256_maskload_pd(p, mask), _mm256_castsi256_pd(mask));
  }
  static void store(double* p, V v) { _mm256_storeu_pd(p, v); }
  static void store_some(double* p, std::int64_t n, V v) { _mm256_maskstore_pd(p, first(n), v); }
  static V splat(double x) { return _mm256_set1_pd(x); }
  static V fma(V a, V b, V c) { return _mm256_fmadd_pd(a, b, c); }
  static V at_most(V limit, V x) { return _mm256_min_pd(limit, x); }
  static V at_least(V limit, V x) { return _mm256_max_pd(limit, x); }
  static V power_of_two(__m128i exponent) {
    const __m256i biased = _mm256_cvtepi32_epi64(_mm_add_epi32(exponent, _mm_set1_epi32(1023)));
    return _mm256_castsi256_pd(_mm256_slli_epi64(biased, 52));
  }
  /// In two steps, of which only the second one can round.
  static V scaled(V x, V n) {
    const __m128i exponent = _mm256_cvtpd_epi32(_mm256_floor_pd(n));
    const __m128i half = _mm_srai_epi32(exponent, 1);
    return x * power_of_two(half) * power_of_two(_mm_sub_epi32(exponent, half));
  }
};

struct FloatLanes {
  using Number = float;
  using V = __m256;
  static constexpr int kWidth = 8;
  static constexpr const char* kPrefix = "_ZGVdN8";
  static constexpr const char* kSuffix = "f";

  static __m256i first(std::int64_t n) {
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(n)),
                              _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
  }
  static V load(const float* p) { return _mm256_loadu_ps(p); }
  static V load_some(const float* p, std::int64_t n) {
    const __m256i mask = first(n);
    return _mm256_blendv_ps(splat(*p), _mm256_maskload_ps(p, mask), _mm256_castsi256_ps(mask));
  }
  static void store(float* p, V v) { _mm256_storeu_ps(p, v); }
  static void store_some(float* p, std::int64_t n, V v) { _mm256_maskstore_ps(p, first(n), v); }
  static V splat(float x) { return _mm256_set1_ps(x); }
  static V fma(V a, V b, V c) { return _mm256_fmadd_ps(a, b, c); }
  static V at_most(V limit, V x) { return _mm256_min_ps(limit, x); }
  static V at_least(V limit, V x) { return _mm256_max_ps(limit, x); }
  static V power_of_two(__m256i exponent) {
    return _mm256_castsi256_ps(
        _mm256_slli_epi32(_mm256_add_epi32(exponent, _mm256_set1_epi32(127)), 23));
  }
  static V scaled(V x, V n) {
    const __m256i exponent = _mm256_cvtps_epi32(n);
    const __m256i half = _mm256_srai_epi32(exponent, 1);
    return x * power_of_two(half) * power_of_two(_mm256_sub_epi32(exponent, half));
  }
};

// ---- exp of doubles: 2^n times a polynomial ----

using L = DoubleLanes;
using Doubles = L::V;

struct Power {
  Doubles fraction;  ///< 2^n of it is what is asked for
  Doubles shifted;   ///< n, in the lowest bits
};
[[gnu::always_inline]] inline Power power_of(Doubles x) {
  constexpr double kRound = 0x1.8p52;  // added, it leaves a whole number in the lowest bits
  const Doubles shifted = L::fma(x, L::splat(0x1.71547652b82fep+0), L::splat(kRound));
  const Doubles n = shifted - L::splat(kRound);
  Doubles r = L::fma(n, L::splat(-0x1.62e42fee00000p-1), x);  // exact
  r = L::fma(n, L::splat(-0x1.a39ef35793c76p-33), r);
  // exp(r) = 1 + r + r^2 (even(r^2) + r odd(r^2))
  const Doubles square = r * r;
  Doubles even = L::fma(square, L::splat(0x1.28ad689e8aef9p-22), L::splat(0x1.a0199a16e68edp-16));
  even = L::fma(square, even, L::splat(0x1.6c16c184266b4p-10));
  even = L::fma(square, even, L::splat(0x1.555555555088cp-5));
  even = L::fma(square, even, L::splat(0x1.000000000000ap-1));
  Doubles odd = L::fma(square, L::splat(0x1.ad7f7b109632bp-26), L::splat(0x1.71df253a08087p-19));
  odd = L::fma(square, odd, L::splat(0x1.a01a012a69cf4p-13));
  odd = L::fma(square, odd, L::splat(0x1.1111111127b9bp-7));
  odd = L::fma(square, odd, L::splat(0x1.55555555554fap-3));
  const Doubles sum = L::splat(1.0) + r;
  const Doubles rest = r - (sum - L::splat(1.0));  // what was rounded off
  return {sum + L::fma(square, L::fma(r, odd, even), rest), shifted};
}

/// Where some results are zero, denormal, infinite or NaN.
[[gnu::noinline]] Doubles exp_of_any(Doubles x) {
  x = L::at_least(L::splat(-746.0), L::at_most(L::splat(710.0), x));
  const Power power = power_of(x);
  return L::scaled(power.fraction, power.shifted - L::splat(0x1.8p52));
}

/// Off by at most 0.9 units in the last place.
[[gnu::always_inline]] inline Doubles exp_of_doubles(Doubles x) {
  const Doubles size = _mm256_andnot_pd(L::splat(-0.0), x);
  if (_mm256_movemask_pd(_mm256_cmp_pd(size, L::splat(708.0), _CMP_NLE_UQ)) != 0) [[unlikely]]
    return exp_of_any(x);
  const Power power = power_of(x);
  const __m256i exponent = _mm256_slli_epi64(_mm256_castpd_si256(power.shifted), 52);
  return _mm256_castsi256_pd(_mm256_add_epi64(_mm256_castpd_si256(power.fraction), exponent));
}

}  // namespace

void use_avx2(VectorTable<double>& doubles, VectorTable<float>& floats, VectorSymbol find) {
  use_libmvec<DoubleLanes>(doubles, find);
  use_libmvec<FloatLanes>(floats, find);
  doubles.kernels[static_cast<int>(VectorFunction::Exp)] =
      &own_kernel<DoubleLanes, &exp_of_doubles>;
  floats.kernels[static_cast<int>(VectorFunction::Exp)] =
      &own_kernel<FloatLanes, &exp_of_floats<FloatLanes>>;
}

}  // namespace thunkvm
