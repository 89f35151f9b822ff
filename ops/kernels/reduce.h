// reduce.h: a sequence of elements reduced into one: the rule behind reductions.
//
// The value of an output depends on its elements and their order alone, never on strides, alignment
// or the vector width: element k of a sequence always goes to block k / 128 and there to
// accumulator k % 16; the accumulators of a block are merged as a tree, and the blocks as a binary
// counter (neighbours first, then pairs of neighbours ...). A sum of n floats is therefore off by
// at most (8 + 4 + log2(n / 128)) roundings; NumPy's pairwise sum has (16 + 3 + log2(n / 128)).
// A sequence follows this order alone, or beside others whose elements lie next to its own
// (reduce_rows.h).
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
#include <cstdint>
#include <type_traits>

namespace thunkvm {

template <class F>
concept VectorReducer = requires { F::kStep; } && std::is_floating_point_v<typename F::In> &&
                        std::is_same_v<typename F::In, typename F::Acc>;

/// One block of up to 128 neighbours, by the rule above; strictly in order, any number of them.
template <class F>
typename F::Acc reduce_block(const typename F::In* x, std::int64_t n) {
  if constexpr (VectorReducer<F>) {
    return reduction_kernels<typename F::In>(F::kStep).block(x, static_cast<int>(n));
  } else {
    typename F::Acc lanes[F::kLanes];
    for (auto& lane : lanes) lane = F::identity();
    std::int64_t i = 0;
    for (; i + F::kLanes <= n; i += F::kLanes)
      for (int j = 0; j < F::kLanes; ++j) lanes[j] = F::step(lanes[j], x[i + j]);
    const int rest = static_cast<int>(std::min<std::int64_t>(n - i, F::kLanes - 1));
    for (int j = 0; j < rest; ++j) lanes[j] = F::step(lanes[j], x[i + j]);
    for (int half = F::kLanes / 2; half > 0; half /= 2)
      for (int j = 0; j < half; ++j) lanes[j] = F::merge(lanes[j], lanes[j + half]);
    return lanes[0];
  }
}

}  // namespace thunkvm
