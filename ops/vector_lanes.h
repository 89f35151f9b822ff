// vector_lanes.h: the loops of vector_math.h over the lanes of one vector unit.
//
// For the files that are compiled for one unit, and for these alone: everything is in an unnamed
// namespace, and nothing of the standard library is instantiated here, so that no code for that
// unit can become the program's copy of a function that others share.
//
// A unit says what its vectors are, for double and float each, in a struct L:
//   Number, V, kWidth                  the element, the vector, elements in it
//   load, store                        any address
//   load_some, store_some(p, n)        the first n < kWidth elements; the rest is filled with *p
//   splat, fma
//   bits, of_bits                      from and to Bits, the unsigned 64-bit integers of a V
//   all_from_to(x, first, end)         first <= x < end in every lane
//   at_most(limit, x), at_least        x where it is NaN
//   lookup(table, index)               table[index & 15]
//   scaled(x, n)                       x * 2^floor(n), rounded once
#pragma once

#include "ops/vector_math.h"

#include <cstdint>

namespace thunkvm {
namespace {

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
template <class L>
typename L::V exp_lanes(typename L::V x)
  requires(sizeof(typename L::Number) == 8)
{
  using V = typename L::V;
  constexpr double kRound = 0x1.8p48;  // added, it leaves sixteenths in the lowest bits
  x = L::at_least(L::splat(-746.0), L::at_most(L::splat(710.0), x));
  const V shifted = L::fma(x, L::splat(0x1.71547652b82fep+0), L::splat(kRound));
  const V n = shifted - L::splat(kRound);
  V r = L::fma(n, L::splat(-0x1.62e42fefa39efp-1), x);
  r = L::fma(n, L::splat(-0x1.abc9e3b39803fp-56), r);
  // exp(r) - 1 = r + r^2 q(r)
  const V square = r * r;
  const V low = L::fma(r, L::splat(0x1.55555554dd388p-3), L::splat(0x1.0000000000000p-1));
  const V high = L::fma(r, L::splat(0x1.11120b03cd855p-7), L::splat(0x1.555555551946fp-5));
  const V q = L::fma(square, L::fma(square, L::splat(0x1.6c17bb5ebddb4p-10), high), low);
  const V growth = L::fma(square, q, r);
  const V power = L::lookup(kPowers, L::bits(shifted));
  const V rest = L::lookup(kPowerRests, L::bits(shifted));
  return L::scaled(power + L::fma(power, growth, rest), n);
}

// ---- exp of floats: 2^n times a polynomial ----

/// Off by at most 1.1 units in the last place.
template <class L>
typename L::V exp_lanes(typename L::V x)
  requires(sizeof(typename L::Number) == 4)
{
  using V = typename L::V;
  constexpr float kRound = 0x1.8p23f;
  x = L::at_least(L::splat(-104.0f), L::at_most(L::splat(89.0f), x));
  const V n = L::fma(x, L::splat(0x1.715476p+0f), L::splat(kRound)) - L::splat(kRound);
  V r = L::fma(n, L::splat(-0x1.62e43p-1f), x);
  r = L::fma(n, L::splat(0x1.05c61p-29f), r);
  V q = L::fma(r, L::splat(0x1.6d117cp-10f), L::splat(0x1.120be2p-7f));
  q = L::fma(r, q, L::splat(0x1.555518p-5f));
  q = L::fma(r, q, L::splat(0x1.5554dcp-3f));
  q = L::fma(r, q, L::splat(0x1.0p-1f));
  const V growth = L::fma(r * r, q, r);
  return L::scaled(L::splat(1.0f) + growth, n);
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
template <class L>
[[gnu::always_inline]] inline typename L::V log_of_normal(typename L::Bits bits,
                                                          typename L::V octaves) {
  using V = typename L::V;
  using Bits = typename L::Bits;
  constexpr std::uint64_t kFirst = 0x3fe7800000000000;  // 1 lies in the middle of entry 8
  constexpr std::uint64_t kMantissa = 0x000fffffffffffff;
  constexpr std::uint64_t kBias = 1024;
  const Bits from_first = bits - (kFirst - (kBias << 52));
  const V z = L::of_bits((from_first & kMantissa) + kFirst);
  // The shifted exponent, put into the mantissa of 2^52, is 2^52 + k + kBias.
  const V k =
      (L::of_bits((from_first >> 52) | 0x4330000000000000u) - L::splat(0x1p52 + kBias)) - octaves;
  const Bits index = from_first >> 48;
  const V r = L::fma(z, L::lookup(kInverses, index), L::splat(-1.0));
  const V whole = L::fma(k, L::splat(0x1.62e42fefa3800p-1), L::lookup(kLogarithms, index));
  const V high = whole + r;
  const V low = L::fma(k, L::splat(0x1.ef35793c76730p-45), (whole - high) + r);
  // log(1 + r) = r - r^2/2 + r^3 q(r)
  const V square = r * r;
  const V q0 = L::fma(r, L::splat(-0x1.000000002d224p-2), L::splat(0x1.5555555555555p-2));
  const V q1 = L::fma(r, L::splat(-0x1.55554a12d4371p-3), L::splat(0x1.99999999eba9dp-3));
  const V q2 = L::fma(r, L::splat(-0x1.0059def252e0cp-3), L::splat(0x1.24923ee80f396p-3));
  const V q3 = L::fma(square, L::splat(0x1.c7bfd93eff23ep-4), q2);
  const V q = L::fma(square, L::fma(square, q3, q1), q0);
  return high + L::fma(square, L::fma(r, q, L::splat(-0.5)), low);
}

/// The logarithms where some are of zero, negative, infinite, NaN or denormal.
template <class L>
[[gnu::noinline]] typename L::V log_of_any(typename L::V x) {
  using V = typename L::V;
  constexpr double kInfinity = __builtin_inf();
  const auto is_small = x < 0x1p-1022;
  const V scaled = is_small ? x * 0x1p54 : x;
  V result = log_of_normal<L>(L::bits(scaled), is_small ? L::splat(54.0) : L::splat(0.0));
  result = x == kInfinity ? x : result;
  result = x == 0.0 ? L::splat(-kInfinity) : result;
  result = x < 0.0 ? L::splat(__builtin_nan("")) : result;
  return x != x ? x + x : result;
}

/// Off by at most 0.9 units in the last place.
template <class L>
typename L::V log_lanes(typename L::V x) {
  if (L::all_from_to(x, L::splat(0x1p-1022), L::splat(__builtin_inf()))) [[likely]]
    return log_of_normal<L>(L::bits(x), L::splat(0.0));
  return log_of_any<L>(x);
}

// ---- loops ----

template <class L, class Compute>
void each_vector(std::int64_t n, typename L::Number* out, const typename L::Number* x,
                 Compute compute) {
  std::int64_t i = 0;
  for (; i + L::kWidth <= n; i += L::kWidth) L::store(out + i, compute(L::load(x + i)));
  if (i < n) L::store_some(out + i, n - i, compute(L::load_some(x + i, n - i)));
}

template <class L>
void exp_loop(std::int64_t n, typename L::Number* out, const typename L::Number* x,
              const typename L::Number*) {
  each_vector<L>(n, out, x, [](typename L::V v) { return exp_lanes<L>(v); });
}

template <class L>
void log_loop(std::int64_t n, typename L::Number* out, const typename L::Number* x,
              const typename L::Number*) {
  each_vector<L>(n, out, x, [](typename L::V v) { return log_lanes<L>(v); });
}

/// The functions of libmvec for this unit, by VectorFunction; null where there is none.
template <class L>
void* libmvec[kVectorFunctions];

template <class L, int kFunction>
void libmvec_loop(std::int64_t n, typename L::Number* out, const typename L::Number* x,
                  const typename L::Number* y) {
  using V = typename L::V;
  if constexpr (!takes_two(static_cast<VectorFunction>(kFunction))) {
    const auto function = reinterpret_cast<V (*)(V)>(libmvec<L>[kFunction]);
    each_vector<L>(n, out, x, function);
  } else {
    const auto function = reinterpret_cast<V (*)(V, V)>(libmvec<L>[kFunction]);
    std::int64_t i = 0;
    for (; i + L::kWidth <= n; i += L::kWidth)
      L::store(out + i, function(L::load(x + i), L::load(y + i)));
    if (i < n)
      L::store_some(out + i, n - i,
                    function(L::load_some(x + i, n - i), L::load_some(y + i, n - i)));
  }
}

template <class L, int kFunction = 0>
void use_libmvec(VectorTable<typename L::Number>& table, VectorSymbol find) {
  if constexpr (kFunction < kVectorFunctions) {
    libmvec<L>[kFunction] = find(L::kPrefix, static_cast<VectorFunction>(kFunction), L::kSuffix);
    if (libmvec<L>[kFunction] != nullptr) table.loops[kFunction] = &libmvec_loop<L, kFunction>;
    use_libmvec<L, kFunction + 1>(table, find);
  }
}

/// All loops of a vector unit: libmvec's, and our own where they are faster.
template <class Doubles, class Floats>
void use_lanes(VectorTable<double>& doubles, VectorTable<float>& floats, VectorSymbol find) {
  use_libmvec<Doubles>(doubles, find);
  use_libmvec<Floats>(floats, find);
  doubles.loops[static_cast<int>(VectorFunction::Exp)] = &exp_loop<Doubles>;
  doubles.loops[static_cast<int>(VectorFunction::Log)] = &log_loop<Doubles>;
  floats.loops[static_cast<int>(VectorFunction::Exp)] = &exp_loop<Floats>;
}

}  // namespace
}  // namespace thunkvm
