// block_reduction.h: a reduction as nests use it (nest.h): of elements that are not in an array.
#pragma once

#include "thunks/dtype.h"

#include <cstddef>
#include <cstdint>

namespace thunkvm {

/// Axes of an array. Bit k: axis k is one of them.
using AxisSet = std::uint32_t;
constexpr bool has_axis(AxisSet axes, std::size_t axis) { return ((axes >> axis) & 1u) != 0; }

/// The reduction of `width` sequences side by side, fed row by row: an element of each. Its results
/// are those of the kernel of the same reduction, bit for bit.
///
///   void* state = 16-byte aligned memory of rows.state_bytes(width, count)
///   rows.start(state, width);
///   rows.add(state, elements, pitch, n);      // as often as there are more rows
///   rows.finish(state, count, results);       // count: all rows that were added
///
/// The state owns nothing: it may be started anew at any time, and is simply left when done.
struct RowReduction {
  /// For sequences of `count` elements.
  std::size_t (*state_bytes)(int width, std::int64_t count);
  void (*start)(void* state, int width);
  /// `rows`: the first of n rows of neighbours, `pitch` bytes apart.
  void (*add)(void* state, const void* rows, std::int64_t pitch, std::int64_t n);
  /// As if `next`'s rows had been added to `state`: those of a whole power of two of blocks
  /// (reduce.h), of which `state` has a multiple; the last time, fewer. `next` is started anew
  /// before it is used again. Null: elements are taken strictly in order.
  void (*append)(void* state, void* next);
  /// Writes `width` elements.
  void (*finish)(void* state, std::int64_t count, void* results);
};

/// A reduction of elements of dtype `in`, in C order, to results of dtype `out`.
struct BlockReduction {
  DType in, out;
  /// The reduction of one sequence of n neighbours.
  void (*reduce)(const void* elements, std::int64_t n, void* result);
  /// True if these results are the same bits in any order of the elements. Null: never.
  bool (*same_in_any_order)(const void* results, std::int64_t n);
  /// The text of the ValueError if there are no elements; null if that has a value.
  const char* nothing;
  RowReduction one, several;
  const RowReduction& rows(std::int64_t width) const { return width == 1 ? one : several; }
};

}  // namespace thunkvm
