// reduction_lanes.h: the loops of reduction_loops.h over vectors of any width.
//
// For the files that are compiled for one vector unit: as in vector_lanes.h, everything is in an
// unnamed namespace, and nothing of the standard library is instantiated.
#pragma once

#include "ops/kernels/reduction_loops.h"

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

/// Calls `f(i)` for every vector of `width` elements; the last one overlaps the one before rather
/// than being cut.
template <int kWidth, class F>
void each_column_vector(int width, F f) {
  for (int i = 0; i + kWidth <= width; i += kWidth) f(i);
  if (width % kWidth != 0) f(width - kWidth);
}

template <class S, class T, int kBytes>
void reduce_columns_vectors(T* out, const char* const* rows, int n, int width) {
  using Vector = ReductionVector<T, kBytes>;
  using V = typename Vector::Type;
  if constexpr (Vector::kWidth > kMinReductionColumns) {
    if (width < Vector::kWidth)
      return reduce_columns_vectors<S, T, kBytes / 2>(out, rows, n, width);
  }
  alignas(64) T lanes[kReductionLanes][kReductionTile<T>];
  for (int lane = 0; lane < kReductionLanes; ++lane)
    each_column_vector<Vector::kWidth>(width, [&](int i) {
      V a = V{} + static_cast<T>(S::kIdentity);
      for (int r = lane; r < n; r += kReductionLanes)
        a = S::step(a, Vector::load(rows[r] + i * static_cast<int>(sizeof(T))));
      Vector::store(lanes[lane] + i, a);
    });
  each_column_vector<Vector::kWidth>(width, [&](int i) {
    V merged[kReductionLanes / 2];
#pragma GCC unroll 8
    for (int j = 0; j < kReductionLanes / 2; ++j)
      merged[j] =
          S::step(Vector::load(lanes[j] + i), Vector::load(lanes[j + kReductionLanes / 2] + i));
#pragma GCC unroll 8
    for (int half = kReductionLanes / 4; half > 0; half /= 2)
#pragma GCC unroll 8
      for (int j = 0; j < half; ++j) merged[j] = S::step(merged[j], merged[j + half]);
    Vector::store(out + i, merged[0]);
  });
}

template <class S, class T>
void merge_columns(T* into, const T* left, int width) {
  for (int i = 0; i < width; ++i) into[i] = S::step(left[i], into[i]);
}

template <class S, class T, int kBytes>
void step_vectors(T* a, const T* x, int width) {
  using Vector = ReductionVector<T, kBytes>;
  int i = 0;
  for (; i + Vector::kWidth <= width; i += Vector::kWidth)
    Vector::store(a + i, S::step(Vector::load(a + i), Vector::load(x + i)));
  for (; i < width; ++i) a[i] = S::step(a[i], x[i]);
}

template <class S, class T, int kBytes>
constexpr ReductionLoops<T> kLoops = {.block = &reduce_block_vectors<S, T, kBytes>,
                                      .columns = &reduce_columns_vectors<S, T, kBytes>,
                                      .merge = &merge_columns<S, T>,
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
