// vector_math_avx2.cpp: the loops of vector_math.h for AVX2 with FMA. This file alone is compiled
// for them.
#include "ops/vector_lanes.h"

#include <immintrin.h>

namespace thunkvm {
namespace {

struct DoubleLanes {
  using Number = double;
  using V = __m256d;
  typedef std::uint64_t Bits __attribute__((vector_size(32)));
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
  static Bits bits(V v) { return reinterpret_cast<Bits>(v); }
  static V of_bits(Bits bits) { return reinterpret_cast<V>(bits); }
  static bool all_from_to(V x, V first, V end) {
    const V from = _mm256_cmp_pd(x, first, _CMP_GE_OQ);
    return _mm256_movemask_pd(_mm256_and_pd(from, _mm256_cmp_pd(x, end, _CMP_LT_OQ))) == 0xf;
  }
  static V lookup(const double (&table)[16], Bits index) {
    return _mm256_i64gather_pd(table, reinterpret_cast<__m256i>(index & 15), 8);
  }
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

}  // namespace

void use_avx2(VectorTable<double>& doubles, VectorTable<float>& floats, VectorSymbol find) {
  use_lanes<DoubleLanes, FloatLanes>(doubles, floats, find);
}

}  // namespace thunkvm
