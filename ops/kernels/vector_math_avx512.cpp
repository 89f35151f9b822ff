// vector_math_avx512.cpp: the kernels of vector_math.h for AVX-512F. This file alone is compiled
// for it.
#include "ops/kernels/vector_lanes.h"

#include <immintrin.h>

namespace thunkvm {
namespace {

struct DoubleLanes {
  using Number = double;
  using V = __m512d;
  typedef std::uint64_t Bits __attribute__((vector_size(64)));
  static constexpr int kWidth = 8;
  static constexpr const char* kPrefix = "_ZGVeN8";
  static constexpr const char* kSuffix = "";

  static __mmask8 first(std::int64_t n) { return static_cast<__mmask8>((1u << n) - 1); }
  static V load(const double* p) { return _mm512_loadu_pd(p); }
  static V load_some(const double* p, std::int64_t n) {
    return _mm512_mask_loadu_pd(splat(*p), first(n), p);
  }
  static void store(double* p, V v) { _mm512_storeu_pd(p, v); }
  static void store_some(double* p, std::int64_t n, V v) { _mm512_mask_storeu_pd(p, first(n), v); }
  static V splat(double x) { return _mm512_set1_pd(x); }
  static V fma(V a, V b, V c) { return _mm512_fmadd_pd(a, b, c); }
  static V at_most(V limit, V x) { return _mm512_min_pd(limit, x); }
  static V at_least(V limit, V x) { return _mm512_max_pd(limit, x); }
  static Bits bits(V v) { return reinterpret_cast<Bits>(v); }
  static V of_bits(Bits bits) { return reinterpret_cast<V>(bits); }
  static bool all_from_to(V x, V first, V end) {
    const __mmask8 from = _mm512_cmp_pd_mask(x, first, _CMP_GE_OQ);
    return _mm512_mask_cmp_pd_mask(from, x, end, _CMP_LT_OQ) == 0xff;
  }
  static V lookup(const double (&table)[16], Bits index) {
    return _mm512_permutex2var_pd(load(table), reinterpret_cast<__m512i>(index), load(table + 8));
  }
  static V scaled(V x, V n) { return _mm512_scalef_pd(x, n); }
};

struct FloatLanes {
  using Number = float;
  using V = __m512;
  static constexpr int kWidth = 16;
  static constexpr const char* kPrefix = "_ZGVeN16";
  static constexpr const char* kSuffix = "f";

  static __mmask16 first(std::int64_t n) { return static_cast<__mmask16>((1u << n) - 1); }
  static V load(const float* p) { return _mm512_loadu_ps(p); }
  static V load_some(const float* p, std::int64_t n) {
    return _mm512_mask_loadu_ps(splat(*p), first(n), p);
  }
  static void store(float* p, V v) { _mm512_storeu_ps(p, v); }
  static void store_some(float* p, std::int64_t n, V v) { _mm512_mask_storeu_ps(p, first(n), v); }
  static V splat(float x) { return _mm512_set1_ps(x); }
  static V fma(V a, V b, V c) { return _mm512_fmadd_ps(a, b, c); }
  static V at_most(V limit, V x) { return _mm512_min_ps(limit, x); }
  static V at_least(V limit, V x) { return _mm512_max_ps(limit, x); }
  static V scaled(V x, V n) { return _mm512_scalef_ps(x, n); }
};

using L = DoubleLanes;
using Doubles = L::V;
using Bits = L::Bits;

// ---- exp of doubles: 2^(n/16) from a table, times a polynomial of what is left ----

alignas(64) constexpr double kPowers[16] = {
    0x1.0000000000000p+0, 0x1.0b5586cf9890fp+0, 0x1.172b83c7d517bp+0, 0x1.2387a6e756238p+0,
    0x1.306fe0a31b715p+0, 0x1.3dea64c123422p+0, 0x1.4bfdad5362a27p+0, 0x1.5ab07dd485429p+0,
    0x1.6a09e667f3bcdp+0, 0x1.7a11473eb0187p+0, 0x1.8ace5422aa0dbp+0, 0x1.9c49182a3f090p+0,
    0x1.ae89f995ad3adp+0, 0x1.c199bdd85529cp+0, 0x1.d5818dcfba487p+0, 0x1.ea4afa2a490dap+0};
/// What the doubles above lack.
alignas(64) constexpr double kPowerRests[16] = {0x0.0p+0,
                                                0x1.8a62e4adc610bp-54,
                                                -0x1.19041b9d78a76p-55,
                                                0x1.9b07eb6c70573p-54,
                                                0x1.6f46ad23182e4p-55,
                                                0x1.ada0911f09ebcp-55,
                                                0x1.d4397afec42e2p-56,
                                                0x1.6324c054647adp-54,
                                                -0x1.bdd3413b26456p-54,
                                                -0x1.41577ee04992fp-55,
                                                0x1.6e9f156864b27p-54,
                                                0x1.c7c46b071f2bep-56,
                                                0x1.7a1cd345dcc81p-54,
                                                0x1.11065895048ddp-55,
                                                0x1.2ed02d75b3707p-55,
                                                -0x1.e9c23179c2893p-54};

/// Off by at most 0.9 units in the last place.
[[gnu::always_inline]] inline Doubles exp_of_doubles(Doubles x) {
  constexpr double kRound = 0x1.8p48;  // added, it leaves sixteenths in the lowest bits
  x = L::at_least(L::splat(-746.0), L::at_most(L::splat(710.0), x));
  const Doubles shifted = L::fma(x, L::splat(0x1.71547652b82fep+0), L::splat(kRound));
  const Doubles n = shifted - L::splat(kRound);
  Doubles r = L::fma(n, L::splat(-0x1.62e42fefa39efp-1), x);
  r = L::fma(n, L::splat(-0x1.abc9e3b39803fp-56), r);
  // exp(r) - 1 = r + r^2 q(r)
  const Doubles square = r * r;
  const Doubles low = L::fma(r, L::splat(0x1.55555554dd388p-3), L::splat(0x1.0000000000000p-1));
  const Doubles high = L::fma(r, L::splat(0x1.11120b03cd855p-7), L::splat(0x1.555555551946fp-5));
  const Doubles q = L::fma(square, L::fma(square, L::splat(0x1.6c17bb5ebddb4p-10), high), low);
  const Doubles growth = L::fma(square, q, r);
  const Doubles power = L::lookup(kPowers, L::bits(shifted));
  const Doubles rest = L::lookup(kPowerRests, L::bits(shifted));
  return L::scaled(power + L::fma(power, growth, rest), n);
}

// ---- log of doubles: x = 2^k z, with z between 0.734 and 1.469 near the c of a table ----

/// 1 / c, chosen so that log(c) lies within 2^-64 of a multiple of 2^-42.
alignas(64) constexpr double kInverses[16] = {
    0x1.55555c95abd60p+0, 0x1.47adf8cca803bp+0, 0x1.3b13961c1a74fp+0, 0x1.2f6839ebf1bc8p+0,
    0x1.2492436b7dbafp+0, 0x1.1a7baab9b5676p+0, 0x1.1110f81cbac3ep+0, 0x1.08422643087fcp+0,
    0x1.0000000000000p+0, 0x1.e1e1d655f5ad7p-1, 0x1.c71c7163dfe8cp-1, 0x1.af2872a8e5ca1p-1,
    0x1.99997ea30736dp-1, 0x1.86184b3c13111p-1, 0x1.745d16ee756d3p-1, 0x1.642c6a84fde5ap-1};
alignas(64) constexpr double kLogarithms[16] = {
    -0x1.269636d451000p-2, -0x1.f99119ca4e000p-3, -0x1.a93e237f52000p-3,
    -0x1.5bf38dade0000p-3, -0x1.1178c012ee000p-3, -0x1.9337115a50000p-4,
    -0x1.08581508c4000p-4, -0x1.04187abc60000p-5, 0x0.0p+0,
    0x1.f0a3d04bc8000p-5,  0x1.e2707a5fd0000p-4,  0x1.5ff2e66836000p-3,
    0x1.c900034a8a000p-3,  0x1.1676053d0a000p-2,  0x1.4618bd1203000p-2,
    0x1.739dcd2d66000p-2};

/// The logarithm of positive normal numbers, given as their bits, less `octaves` times log(2).
[[gnu::always_inline]] inline Doubles log_of_normal(Bits bits, Doubles octaves) {
  constexpr std::uint64_t kFirst = 0x3fe7800000000000;  // 1 lies in the middle of entry 8
  constexpr std::uint64_t kMantissa = 0x000fffffffffffff;
  constexpr std::uint64_t kBias = 1024;
  const Bits from_first = bits - (kFirst - (kBias << 52));
  const Doubles z = L::of_bits((from_first & kMantissa) + kFirst);
  // The shifted exponent, put into the mantissa of 2^52, is 2^52 + k + kBias.
  const Doubles k =
      (L::of_bits((from_first >> 52) | 0x4330000000000000u) - L::splat(0x1p52 + kBias)) - octaves;
  const Bits index = from_first >> 48;
  const Doubles r = L::fma(z, L::lookup(kInverses, index), L::splat(-1.0));
  const Doubles whole = L::fma(k, L::splat(0x1.62e42fefa3800p-1), L::lookup(kLogarithms, index));
  const Doubles high = whole + r;
  const Doubles low = L::fma(k, L::splat(0x1.ef35793c76730p-45), (whole - high) + r);
  // log(1 + r) = r - r^2/2 + r^3 q(r)
  const Doubles square = r * r;
  const Doubles q0 = L::fma(r, L::splat(-0x1.000000002d224p-2), L::splat(0x1.5555555555555p-2));
  const Doubles q1 = L::fma(r, L::splat(-0x1.55554a12d4371p-3), L::splat(0x1.99999999eba9dp-3));
  const Doubles q2 = L::fma(r, L::splat(-0x1.0059def252e0cp-3), L::splat(0x1.24923ee80f396p-3));
  const Doubles q3 = L::fma(square, L::splat(0x1.c7bfd93eff23ep-4), q2);
  const Doubles q = L::fma(square, L::fma(square, q3, q1), q0);
  return high + L::fma(square, L::fma(r, q, L::splat(-0.5)), low);
}

/// The logarithms where some are of zero, negative, infinite, NaN or denormal.
[[gnu::noinline]] Doubles log_of_any(Doubles x) {
  constexpr double kInfinity = __builtin_inf();
  const auto is_small = x < 0x1p-1022;
  const Doubles scaled = is_small ? x * 0x1p54 : x;
  Doubles result = log_of_normal(L::bits(scaled), is_small ? L::splat(54.0) : L::splat(0.0));
  result = x == kInfinity ? x : result;
  result = x == 0.0 ? L::splat(-kInfinity) : result;
  result = x < 0.0 ? L::splat(__builtin_nan("")) : result;
  return x != x ? x + x : result;
}

/// Off by at most 0.9 units in the last place.
[[gnu::always_inline]] inline Doubles log_of_doubles(Doubles x) {
  if (L::all_from_to(x, L::splat(0x1p-1022), L::splat(__builtin_inf()))) [[likely]]
    return log_of_normal(L::bits(x), L::splat(0.0));
  return log_of_any(x);
}

}  // namespace

void use_avx512(VectorTable<double>& doubles, VectorTable<float>& floats, VectorSymbol find) {
  use_libmvec<DoubleLanes>(doubles, find);
  use_libmvec<FloatLanes>(floats, find);
  doubles.kernels[static_cast<int>(VectorFunction::Exp)] =
      &own_kernel<DoubleLanes, &exp_of_doubles>;
  doubles.kernels[static_cast<int>(VectorFunction::Log)] =
      &own_kernel<DoubleLanes, &log_of_doubles>;
  floats.kernels[static_cast<int>(VectorFunction::Exp)] =
      &own_kernel<FloatLanes, &exp_of_floats<FloatLanes>>;
}

}  // namespace thunkvm
