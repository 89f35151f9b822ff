// reduce.h: a sequence of elements reduced into one: the rule behind reductions.
//
// The value of an output depends on its elements and their order alone, never on strides, alignment
// or the vector width: element k of a sequence always goes to block k / 128 and there to
// accumulator k % 16; the accumulators of a block are merged as a tree, and the blocks as a binary
// counter (neighbours first, then pairs of neighbours ...). A sum of n floats is therefore off by
// at most (8 + 4 + log2(n / 128)) roundings; NumPy's pairwise sum has (16 + 3 + log2(n / 128)).
// Sequences follow this order one by one (here, and reduce_runs.h), or side by side, those whose
// neighbours lie next to each other (reduce_rows.h).
//
// A reducer F has the operations on elements:
//   using In, Acc;
//   static constexpr int kLanes;   16, or 1: strictly in order
//   static constexpr bool kTree;   false: the blocks are merged in order
//   static Acc identity();  static Acc step(Acc, In);  static Acc merge(Acc, Acc);
// and, where floats are reduced in their own type by one of the steps that vector units have
// kernels for (reduction_kernels.h), `static constexpr ReductionStep kStep`, which must do the
// same; and, where the order makes no difference to some results, `static bool
// same_in_any_order(Acc)`: whether this one is the same bits in any order.
#pragma once

#include "ops/kernels/reduction_kernels.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <type_traits>

namespace thunkvm {

template <class F>
concept VectorReducer = requires { F::kStep; } && std::is_floating_point_v<typename F::In> &&
                        std::is_same_v<typename F::In, typename F::Acc>;

/// One block of up to 128 neighbours, by the rule above.
template <class F>
typename F::Acc reduce_block(const typename F::In* x, int n) {
  if constexpr (VectorReducer<F>) {
    return reduction_kernels<typename F::In>(F::kStep).block(x, n);
  } else {
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
}

/// The reduction of one sequence, fed block by block.
template <class F>
class SequenceAccumulator {
 public:
  using In = typename F::In;
  using Acc = typename F::Acc;

  void add_block(const In* x, int n) {
    if constexpr (F::kLanes == 1) {
      for (int i = 0; i < n; ++i) total_ = F::step(total_, x[i]);
    } else if constexpr (!F::kTree) {
      total_ = F::merge(total_, reduce_block<F>(x, n));
    } else {
      add_partial(reduce_block<F>(x, n), 0);
    }
  }
  /// As if the blocks of `next` had been added here: a power of two of them or less, of which this
  /// has a multiple.
  void append(const SequenceAccumulator& next) {
    if constexpr (!F::kTree) {
      total_ = F::merge(total_, next.total_);
    } else {
      for (int level = std::bit_width(next.blocks_); level-- > 0;)
        if (((next.blocks_ >> level) & 1u) != 0) add_partial(next.partial_[level], level);
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
  /// Adds the reduction of 2^level blocks.
  void add_partial(Acc value, int level) {
    const std::uint64_t before = blocks_;
    blocks_ += std::uint64_t{1} << level;
    for (; ((before >> level) & 1u) != 0; ++level) value = F::merge(partial_[level], value);
    partial_[level] = value;
  }

  std::uint64_t blocks_ = 0;
  Acc total_ = F::identity();
  Acc partial_[F::kTree ? std::bit_width(std::uint64_t{kMostNestElements / kReductionBlock}) : 1];
};

}  // namespace thunkvm
