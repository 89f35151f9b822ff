// block_reduction.h: a reduction as nests use it (nest.h): fed with blocks that are not in an
// array.
#pragma once

#include "thunks/dtype.h"

#include <cstddef>
#include <cstdint>

namespace thunkvm {

/// Axes of an array. Bit k: axis k is one of them.
using AxisSet = std::uint32_t;
constexpr bool has_axis(AxisSet axes, std::size_t axis) { return ((axes >> axis) & 1u) != 0; }

/// The reduction of `width` sequences side by side, fed row by row: an element of each. Used as a
/// BlockReduction, with the same bits.
struct RowReduction {
  /// For sequences of `count` elements.
  std::size_t (*state_bytes)(int width, std::int64_t count);
  void (*start)(void* state, int width);
  /// `rows`: the first of n rows of neighbours, `pitch` bytes apart.
  void (*add)(void* state, const void* rows, std::int64_t pitch, std::int64_t n);
  /// Writes `width` elements.
  void (*finish)(void* state, std::int64_t count, void* results);
};

/// The reduction of one sequence in C order, fed block by block. Its result is that of the kernel
/// of the same reduction, bit for bit.
///
///   void* state = 16-byte aligned memory of state_bytes
///   reduction.start(state);
///   reduction.add(state, block, n);          // as often as there are blocks
///   reduction.finish(state, count, out);     // count: all elements that were added
///
/// The state owns nothing: it may be started anew at any time, and is simply left when done.
struct BlockReduction {
  std::size_t state_bytes;
  void (*start)(void* state);
  /// `elements`: n neighbours of dtype `in`. n is a multiple of kReductionBlock (reduce.h) in every
  /// call but the last.
  void (*add)(void* state, const void* elements, std::int64_t n);
  /// Writes one element of dtype `out`.
  void (*finish)(const void* state, std::int64_t count, void* result);
  /// All three for n neighbours, which are all elements.
  void (*reduce)(const void* elements, std::int64_t n, void* result);
  /// As if `next`'s elements had been added to `state`: those of a whole power of two of blocks, of
  /// which `state` has a multiple; the last time, fewer. Null: elements are taken strictly in
  /// order.
  void (*append)(void* state, const void* next);
  /// True if these results are the same bits in any order of the elements. Null: never.
  bool (*same_in_any_order)(const void* results, std::int64_t n);
  /// The text of the ValueError if count is 0; null if that has a value.
  const char* nothing;
  DType in, out;
  /// The same for sequences side by side; for one alone, whose runs are of any length.
  RowReduction rows, runs;
  const RowReduction& rows_of(std::int64_t width) const { return width == 1 ? runs : rows; }
};

}  // namespace thunkvm
