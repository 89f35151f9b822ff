// fold.h: the loops behind reductions: a sequence of elements folded into one, for every output.
//
// What an output gets depends on its elements and their order alone, never on strides, alignment or
// the vector width: element k of a sequence always goes to block k / 128 and there to accumulator k
// % 16; the accumulators of a block are merged as a tree, and the blocks as a binary counter
// (neighbours first, then pairs of neighbours ...). A sum of n floats is therefore off by at most
// (8 + 4 + log2(n / 128)) roundings, where NumPy's pairwise sum has (16 + 3 + log2(n / 128)). Two
// loops follow this order: one along a sequence, and one across the outputs, for sequences whose
// neighbours lie next to each other in memory.
//
// A fold F says what happens to the elements:
//   using In, Acc;  static constexpr int kLanes (16, or 1: strictly in order);  static constexpr
//   bool kTree; static Acc identity();  static Acc step(Acc, In);  static Acc merge(Acc, Acc);
// and, where floats are folded in their own type, what a step does to vectors of them (merge must
// do the same):
//   template <class V> static V step_vector(V, V);
#pragma once

#include "thunks/array.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

namespace thunkvm {

inline constexpr int kFoldBlock = 128;
inline constexpr int kFoldLanes = 16;
/// Outputs that the loop across outputs works on at once; their accumulators stay in the
/// first-level cache.
inline constexpr int kFoldTile = 64;

/// The axes of one operand, merged where their strides allow it.
struct FoldAxes {
  std::vector<std::int64_t> lengths;
  std::vector<std::int64_t> strides;
  std::int64_t count = 1;

  void append(std::int64_t length, std::int64_t stride) {
    count *= length;
    if (length == 1) return;
    if (!lengths.empty() && strides.back() == stride * length) {
      lengths.back() *= length;
      strides.back() = stride;
      return;
    }
    lengths.push_back(length);
    strides.push_back(stride);
  }
  std::int64_t inner_length() const { return lengths.empty() ? 1 : lengths.back(); }
  std::int64_t inner_stride() const { return strides.empty() ? 0 : strides.back(); }

  /// Calls `f(offset)` for the start of every inner run, in C order.
  template <class F>
  void each_run(F&& f) const {
    if (count == 0) return;
    if (lengths.size() <= 1) {
      f(std::int64_t{0});
      return;
    }
    const std::size_t outer = lengths.size() - 1;
    std::vector<std::int64_t> index(outer, 0);
    std::int64_t offset = 0;
    for (;;) {
      f(offset);
      std::size_t axis = outer;
      while (axis-- > 0) {
        offset += strides[axis];
        if (++index[axis] < lengths[axis]) break;
        offset -= strides[axis] * lengths[axis];
        index[axis] = 0;
      }
      if (axis == static_cast<std::size_t>(-1)) return;
    }
  }
};

/// Vectors of 16 bytes, which every x86-64 has.
template <class T>
struct FoldVector {
  typedef T Type __attribute__((vector_size(16)));
  typedef T Unaligned __attribute__((vector_size(16), aligned(alignof(T)), may_alias));
  static constexpr int kWidth = 16 / sizeof(T);
  static Type load(const T* x) { return *reinterpret_cast<const Unaligned*>(x); }
  static void store(T* x, Type value) { *reinterpret_cast<Unaligned*>(x) = value; }
};

template <class F>
concept VectorFold =
    std::is_floating_point_v<typename F::In> && std::is_same_v<typename F::In, typename F::Acc> &&
    F::kLanes == kFoldLanes &&
    requires(typename FoldVector<typename F::In>::Type v) { F::step_vector(v, v); };

/// One block of up to 128 neighbours, by the rule above.
template <class F>
  requires(!VectorFold<F>)
typename F::Acc fold_block(const typename F::In* x, int n) {
  typename F::Acc lanes[F::kLanes];
  for (auto& lane : lanes) lane = F::identity();
  int i = 0;
  for (; i + F::kLanes <= n; i += F::kLanes)
    for (int j = 0; j < F::kLanes; ++j) lanes[j] = F::step(lanes[j], x[i + j]);
  const int rest = std::min(n - i, F::kLanes - 1);
  for (int j = 0; j < rest; ++j) lanes[j] = F::step(lanes[j], x[i + j]);
  for (int half = F::kLanes / 2; half > 0; half /= 2)
    for (int j = 0; j < half; ++j) lanes[j] = F::merge(lanes[j], lanes[j + half]);
  return lanes[0];
}

/// The same with the lanes in registers. What fills up the last vectors changes nothing: it is the
/// identity.
template <VectorFold F>
typename F::Acc fold_block(const typename F::In* x, int n) {
  using T = typename F::In;
  using Vector = FoldVector<T>;
  constexpr int kVectors = kFoldLanes / Vector::kWidth;
  const T identity = F::identity();
  typename Vector::Type lanes[kVectors];
#pragma GCC unroll 8
  for (int v = 0; v < kVectors; ++v)
    for (int w = 0; w < Vector::kWidth; ++w) lanes[v][w] = identity;
  int i = 0;
  for (; i + kFoldLanes <= n; i += kFoldLanes)
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v)
      lanes[v] = F::step_vector(lanes[v], Vector::load(x + i + v * Vector::kWidth));
  if (i < n) {
    T tail[kFoldLanes];
    std::fill_n(tail, kFoldLanes, identity);
    std::copy_n(x + i, n - i, tail);
#pragma GCC unroll 8
    for (int v = 0; v < kVectors; ++v)
      lanes[v] = F::step_vector(lanes[v], Vector::load(tail + v * Vector::kWidth));
  }
#pragma GCC unroll 8
  for (int half = kVectors / 2; half > 0; half /= 2)
#pragma GCC unroll 8
    for (int v = 0; v < half; ++v) lanes[v] = F::step_vector(lanes[v], lanes[v + half]);
  T last[Vector::kWidth];
  Vector::store(last, lanes[0]);
  for (int half = Vector::kWidth / 2; half > 0; half /= 2)
    for (int w = 0; w < half; ++w) last[w] = F::merge(last[w], last[w + half]);
  return last[0];
}

/// The fold of one sequence, fed block by block.
template <class F>
class Folding {
 public:
  using In = typename F::In;
  using Acc = typename F::Acc;

  void add_block(const In* x, int n) {
    if constexpr (F::kLanes == 1) {
      for (int i = 0; i < n; ++i) total_ = F::step(total_, x[i]);
    } else if constexpr (!F::kTree) {
      total_ = F::merge(total_, fold_block<F>(x, n));
    } else {
      Acc value = fold_block<F>(x, n);
      int level = 0;
      for (; ((blocks_ >> level) & 1u) != 0; ++level) value = F::merge(partial_[level], value);
      partial_[level] = value;
      ++blocks_;
    }
  }
  Acc total() const {
    if constexpr (!F::kTree) return total_;
    Acc value = F::identity();
    bool first = true;
    for (int level = 0; (blocks_ >> level) != 0; ++level) {
      if (((blocks_ >> level) & 1u) == 0) continue;
      value = first ? partial_[level] : F::merge(partial_[level], value);
      first = false;
    }
    return value;
  }

 private:
  std::uint64_t blocks_ = 0;
  Acc total_ = F::identity();
  Acc partial_[F::kTree ? 48 : 1];
};

/// Folds the sequence that starts at `first`.
template <class F>
typename F::Acc fold_along(const char* first, const FoldAxes& reduced) {
  using In = typename F::In;
  Folding<F> folding;
  In gathered[kFoldBlock];
  int n_gathered = 0;
  const std::int64_t length = reduced.inner_length();
  const std::int64_t stride = reduced.inner_stride();
  const bool dense = stride == static_cast<std::int64_t>(sizeof(In));
  reduced.each_run([&](std::int64_t offset) {
    const char* run = first + offset;
    std::int64_t i = 0;
    while (i < length) {
      const int room = kFoldBlock - n_gathered;
      const int n = static_cast<int>(std::min<std::int64_t>(room, length - i));
      if (dense && (n == kFoldBlock || (n == length && reduced.lengths.size() == 1))) {
        folding.add_block(reinterpret_cast<const In*>(run) + i, n);
        i += n;
        continue;
      }
      if (dense) {
        std::copy_n(reinterpret_cast<const In*>(run) + i, n, gathered + n_gathered);
      } else {
        for (int k = 0; k < n; ++k)
          gathered[n_gathered + k] = *reinterpret_cast<const In*>(run + (i + k) * stride);
      }
      i += n;
      n_gathered += n;
      if (n_gathered == kFoldBlock) {
        folding.add_block(gathered, kFoldBlock);
        n_gathered = 0;
      }
    }
  });
  if (n_gathered > 0) folding.add_block(gathered, n_gathered);
  return folding.total();
}

/// Folds up to 64 sequences, whose starts are `step` bytes apart, side by side; same results as
/// `fold_along`.
template <class F>
class TileFolding {
 public:
  using In = typename F::In;
  using Acc = typename F::Acc;

  TileFolding(int width, std::int64_t step, std::int64_t count)
      : width_(width),
        step_(step),
        partial_(F::kTree ? std::bit_width(static_cast<std::uint64_t>(count / kFoldBlock + 1))
                          : 1) {}

  void fold(const char* first, const FoldAxes& reduced, Acc* totals) {
    start_block();
    blocks_ = 0;
    std::uint64_t k = 0;
    const std::int64_t length = reduced.inner_length();
    const std::int64_t stride = reduced.inner_stride();
    reduced.each_run([&](std::int64_t offset) {
      for (std::int64_t i = 0; i < length; ++i) {
        add_row(lanes_[k % F::kLanes], first + offset + i * stride);
        // Where the order does not matter, all is one block.
        if (++k % kFoldBlock == 0 && F::kTree) end_block();
      }
    });
    if (F::kLanes == 1) {
      std::copy_n(lanes_[0].data(), width_, totals);
      return;
    }
    if (k % kFoldBlock != 0 || !F::kTree) end_block();
    total(totals);
  }

 private:
  using Row = std::array<Acc, kFoldTile>;

  void add_row(Row& row, const char* x) const {
    if (width_ == kFoldTile && step_ == static_cast<std::int64_t>(sizeof(In))) {
      const In* elements = reinterpret_cast<const In*>(x);
      if constexpr (VectorFold<F>) {
        using Vector = FoldVector<In>;
        for (int w = 0; w < kFoldTile; w += Vector::kWidth)
          Vector::store(row.data() + w,
                        F::step_vector(Vector::load(row.data() + w), Vector::load(elements + w)));
      } else {
        for (int w = 0; w < kFoldTile; ++w) row[w] = F::step(row[w], elements[w]);
      }
      return;
    }
    for (int w = 0; w < width_; ++w)
      row[w] = F::step(row[w], *reinterpret_cast<const In*>(x + w * step_));
  }
  static void merge_row(Row& into, const Row& left, const Row& right) {
    if constexpr (VectorFold<F>) {
      using Vector = FoldVector<Acc>;
      for (int w = 0; w < kFoldTile; w += Vector::kWidth)
        Vector::store(into.data() + w, F::step_vector(Vector::load(left.data() + w),
                                                      Vector::load(right.data() + w)));
    } else {
      for (int w = 0; w < kFoldTile; ++w) into[w] = F::merge(left[w], right[w]);
    }
  }
  void start_block() {
    for (Row& lane : lanes_) lane.fill(F::identity());
  }
  void end_block() {
    for (int half = F::kLanes / 2; half > 0; half /= 2)
      for (int j = 0; j < half; ++j) merge_row(lanes_[j], lanes_[j], lanes_[j + half]);
    int level = 0;
    if constexpr (F::kTree) {
      for (; ((blocks_ >> level) & 1u) != 0; ++level)
        merge_row(lanes_[0], partial_[level], lanes_[0]);
    }
    partial_[level] = lanes_[0];
    ++blocks_;
    start_block();
  }
  void total(Acc* totals) const {
    Row value;
    value.fill(F::identity());
    if constexpr (F::kTree) {
      bool first = true;
      for (int level = 0; (blocks_ >> level) != 0; ++level) {
        if (((blocks_ >> level) & 1u) == 0) continue;
        if (first)
          value = partial_[level];
        else
          merge_row(value, partial_[level], value);
        first = false;
      }
    } else {
      value = partial_[0];
    }
    std::copy_n(value.data(), width_, totals);
  }

  int width_;
  std::int64_t step_;
  std::uint64_t blocks_ = 0;
  std::array<Row, F::kLanes> lanes_;
  std::vector<Row> partial_;
};

/// Folds every sequence: `out(i, acc)` is called for output i, counted in C order of the kept axes.
template <class F, class Out>
void fold_all(const char* data, const FoldAxes& kept, const FoldAxes& reduced, Out&& out) {
  const std::int64_t length = kept.inner_length();
  const std::int64_t stride = kept.inner_stride();
  const auto size = [](std::int64_t s) { return s < 0 ? -s : s; };
  const bool across = length >= 8 && reduced.count > 1 && !reduced.lengths.empty() &&
                      size(stride) < size(reduced.inner_stride());
  std::int64_t output = 0;
  kept.each_run([&](std::int64_t offset) {
    const char* run = data + offset;
    if (!across) {
      for (std::int64_t i = 0; i < length; ++i)
        out(output++, fold_along<F>(run + i * stride, reduced));
      return;
    }
    typename F::Acc totals[kFoldTile];
    for (std::int64_t i = 0; i < length; i += kFoldTile) {
      const int width = static_cast<int>(std::min<std::int64_t>(kFoldTile, length - i));
      TileFolding<F> tile(width, stride, reduced.count);
      tile.fold(run + i * stride, reduced, totals);
      for (int w = 0; w < width; ++w) out(output++, totals[w]);
    }
  });
}

}  // namespace thunkvm
