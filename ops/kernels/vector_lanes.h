// vector_lanes.h: the kernels of vector_math.h over the lanes of a vector unit.
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
//   at_most(limit, x), at_least        x where it is NaN
//   scaled(x, n)                       x * 2^floor(n), rounded once
#pragma once

#include "ops/kernels/vector_math.h"

#include <cstdint>

namespace thunkvm {
namespace {

// ---- exp of floats: 2^n times a polynomial ----

/// Off by at most 1.1 units in the last place.
template <class L>
[[gnu::always_inline]] inline typename L::V exp_of_floats(typename L::V x) {
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

// ---- kernels ----

template <class L, class Compute>
void each_vector(std::int64_t n, typename L::Number* out, const typename L::Number* x,
                 Compute compute) {
  std::int64_t i = 0;
  for (; i + L::kWidth <= n; i += L::kWidth) L::store(out + i, compute(L::load(x + i)));
  if (i < n) L::store_some(out + i, n - i, compute(L::load_some(x + i, n - i)));
}

template <class L, typename L::V (*kFunction)(typename L::V)>
void own_kernel(std::int64_t n, typename L::Number* out, const typename L::Number* x,
                const typename L::Number*) {
  each_vector<L>(n, out, x, [](typename L::V v) { return kFunction(v); });
}

/// The functions of libmvec for this unit, by VectorFunction; null where there is none.
template <class L>
void* libmvec[kVectorFunctions];

template <class L, int kFunction>
void libmvec_kernel(std::int64_t n, typename L::Number* out, const typename L::Number* x,
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
    if (libmvec<L>[kFunction] != nullptr) table.kernels[kFunction] = &libmvec_kernel<L, kFunction>;
    use_libmvec<L, kFunction + 1>(table, find);
  }
}

}  // namespace
}  // namespace thunkvm
