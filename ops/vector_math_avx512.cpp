// vector_math_avx512.cpp: the loops of vector_math.h for AVX-512F. This file alone is compiled for
// it.
#include "ops/vector_lanes.h"

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

}  // namespace

void use_avx512(VectorTable<double>& doubles, VectorTable<float>& floats, VectorSymbol find) {
  use_lanes<DoubleLanes, FloatLanes>(doubles, floats, find);
}

}  // namespace thunkvm
