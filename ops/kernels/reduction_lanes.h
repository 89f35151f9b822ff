// reduction_lanes.h: the kernels of reduction_kernels.h over vectors of any width.
//
// For the files that are compiled for one vector unit: as in vector_lanes.h, everything is in an
// unnamed namespace, and nothing of the standard library is instantiated.
#pragma once

#include "ops/kernels/reduction_kernels.h"

namespace thunkvm {
namespace {

struct AddStep {
  static constexpr double kIdentity = -0.0;
  template <class V>
  static V step(V a, V x) {
    return a + x;
  }
};
struct MaxStep {
  static constexpr double kIdentity = -__builtin_inf();
  template <class V>
  static V step(V a, V x) {
    const V larger = x > a ? x : a;
    return x == x ? larger : x;
  }
};
struct MinStep {
  static constexpr double kIdentity = __builtin_inf();
  template <class V>
  static V step(V a, V x) {
    const V smaller = x < a ? x : a;
    return x == x ? smaller : x;
  }
};

template <class T, int kBytes>
struct ReductionVector {
  typedef T Type __attribute__((vector_size(kBytes)));
  typedef T Unaligned __attribute__((vector_size(kBytes), aligned(alignof(T)), may_alias));
  static constexpr int kWidth = kBytes / static_cast<int>(sizeof(T));
  static Type load(const void* x) { return *static_cast<const Unaligned*>(x); }
  static void store(T* x, Type value) { *reinterpret_cast<Unaligned*>(x) = value; }
};

/// The accumulators of one vector, merged: j with j + half of them, and so on.
template <class S, class T, int kBytes>
T merge_lanes(typename ReductionVector<T, kBytes>::Type lanes) {
  using Vector = ReductionVector<T, kBytes>;
  constexpr int kHalf = Vector::kWidth / 2;
  T last[Vector::kWidth];
  Vector::store(last, lanes);
  if constexpr (kBytes > 16) {
    using Half = ReductionVector<T, kBytes / 2>;
    return merge_lanes<S, T, kBytes / 2>(S::step(Half::load(last), Half::load(last + kHalf)));
  } else {
    for (int half = kHalf; half > 0; half /= 2)
      for (int w = 0; w < half; ++w) last[w] = S::step(last[w], last[w + half]);
    return last[0];
  }
}

/// Accumulator j takes elements j, j + 16, ...; then j is merged with j + 8, then with j + 4, ...
/// The filling of the last vectors changes nothing: it is the identity.
template <class S, class T, int kBytes>
T reduce_block_vectors(const T* x, int n) {
  using Vector = ReductionVector<T, kBytes>;
  constexpr int kVectors = kReductionLanes / Vector::kWidth;
  constexpr T kIdentity = static_cast<T>(S::kIdentity);
  typename Vector::Type lanes[kVectors];
#pragma GCC unroll 8
  for (int v = 0; v < kVectors; ++v) lanes[v] = typename Vector::Type{} + kIdentity;
  int i = 0;
  for (; i + kReductionLanes <= n; i += kReductionLanes)
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v)
      lanes[v] = S::step(lanes[v], Vector::load(x + i + v * Vector::kWidth));
  if (i < n) {
    T tail[kReductionLanes];
    for (int k = 0; k < kReductionLanes; ++k) tail[k] = i + k < n ? x[i + k] : kIdentity;
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v)
      lanes[v] = S::step(lanes[v], Vector::load(tail + v * Vector::kWidth));
  }
#pragma GCC unroll 8
  for (int half = kVectors / 2; half > 0; half /= 2)
#pragma GCC unroll 8
    for (int v = 0; v < half; ++v) lanes[v] = S::step(lanes[v], lanes[v + half]);
  return merge_lanes<S, T, kBytes>(lanes[0]);
}

/// Calls `f(Vector, i)` for vectors that are all of `width` elements: the last ones are narrower.
template <class T, int kBytes, class F>
void each_vector(int i, int width, F f) {
  using Vector = ReductionVector<T, kBytes>;
  for (; i + Vector::kWidth <= width; i += Vector::kWidth) f(Vector{}, i);
  if constexpr (Vector::kWidth > 1)
    if (i < width) each_vector<T, kBytes / 2>(i, width, f);
}

template <class S, class T, int kBytes>
void add_rows_vectors(T* lanes, int before, const char* rows, long pitch, int n, int width) {
  for (int k = 0; k < n && k < kReductionLanes; ++k) {
    T* const lane = lanes + (before + k) % kReductionLanes * width;
    const bool begins = before + k < kReductionLanes;
    each_vector<T, kBytes>(0, width, [=]<class Vector>(Vector, int i) {
      typename Vector::Type a = typename Vector::Type{} + static_cast<T>(S::kIdentity);
      if (!begins) a = Vector::load(lane + i);
      const char* x = rows + k * pitch + i * static_cast<int>(sizeof(T));
      for (int r = k; r < n; r += kReductionLanes, x += kReductionLanes * pitch)
        a = S::step(a, Vector::load(x));
      Vector::store(lane + i, a);
    });
  }
}

template <class S, class T, int kBytes>
void merge_rows_vectors(T* lanes, int used, int width) {
  each_vector<T, kBytes>(0, width, [=]<class Vector>(Vector, int i) {
    typename Vector::Type merged[kReductionLanes];
#pragma GCC unroll 16
    for (int j = 0; j < kReductionLanes; ++j)
      merged[j] = j < used ? Vector::load(lanes + j * width + i)
                           : typename Vector::Type{} + static_cast<T>(S::kIdentity);
#pragma GCC unroll 8
    for (int half = kReductionLanes / 2; half > 0; half /= 2)
#pragma GCC unroll 8
      for (int j = 0; j < half; ++j) merged[j] = S::step(merged[j], merged[j + half]);
    Vector::store(lanes + i, merged[0]);
  });
}

template <class S, class T, int kBytes>
void merge_vectors(T* into, const T* left, int width) {
  each_vector<T, kBytes>(0, width, [=]<class Vector>(Vector, int i) {
    Vector::store(into + i, S::step(Vector::load(left + i), Vector::load(into + i)));
  });
}

template <class S, class T, int kBytes>
void step_vectors(T* a, const T* x, int width) {
  each_vector<T, kBytes>(0, width, [=]<class Vector>(Vector, int i) {
    Vector::store(a + i, S::step(Vector::load(a + i), Vector::load(x + i)));
  });
}

template <class S, class T, int kBytes>
constexpr ReductionKernels<T> kLoops = {.block = &reduce_block_vectors<S, T, kBytes>,
                                        .add_rows = &add_rows_vectors<S, T, kBytes>,
                                        .merge_rows = &merge_rows_vectors<S, T, kBytes>,
                                        .merge = &merge_vectors<S, T, kBytes>,
                                        .step = &step_vectors<S, T, kBytes>};
/// By ReductionStep.
template <int kBytes>
constexpr ReductionTable kReductionTable = {
    .doubles = {kLoops<AddStep, double, kBytes>, kLoops<MaxStep, double, kBytes>,
                kLoops<MinStep, double, kBytes>},
    .floats = {kLoops<AddStep, float, kBytes>, kLoops<MaxStep, float, kBytes>,
               kLoops<MinStep, float, kBytes>}};

}  // namespace
}  // namespace thunkvm
