// nest.h: one pass over memory. For each element of an iteration space it computes values from the
// elements of operands, and reduces them along some of its axes.
//
//   Nest  ------resolve------>  ResolvedNest  --execute-->  outputs, and results of reductions
//   what is computed            for operands that lie       in one call
//                               in a certain way
//
// (resolved_nest.h, nest_execution.h). The nests of emitted code run so, and so do the kernels of
// elementwise Ops (short arrays in C order of one shape need no nest) and of reductions (one result
// of few neighbours needs none). A nest is computed block by block: up to kNestBlock elements of
// each operand, side by side in first-level cache. An operand that is not contiguous is gathered
// into such a block first. So the body sees no strides, and a value does not depend on the place of
// its element. An array that is reduced as it is, is read where it lies if its rows are dense.
//
// Other walks over arrays have a reason. Code that writes to elements that lie anywhere (`set`,
// `inc`, `take`, copies: thunks/strided.h, ops/indexing/picked_walk.h) has no blocks. Code that
// goes along one axis from one element to the next (`cumsum`, `argmax`) has no order to choose.
#pragma once

#include "ops/kernels/block_reduction.h"
#include "ops/kernels/limits.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace thunkvm {

/// The number in a scalar cell.
using NumberBits = std::uint64_t;

/// Runs over `n` elements: the addresses of the inputs and the output, in this order, and their
/// strides in bytes.
using ElementFunction = void (*)(char* const* pointers, const std::int64_t* strides,
                                 std::int64_t n);

constexpr std::int64_t whole_lanes(std::int64_t n) {
  return (n + kNestLanes - 1) / kNestLanes * kNestLanes;
}

/// Operands are the inputs, the outputs, and what is reduced, in this order; kNestOperands at most.
struct Nest {
  /// Computes `n` elements (a multiple of kNestLanes, at most kNestBlock): `blocks` are those of
  /// the operands, `numbers` the 0-d inputs' values, `own` memory of own_bytes.
  using Body = void (*)(char* const* blocks, const NumberBits* numbers,
                        const ElementFunction* element_functions, char* own, std::int64_t n);
  struct Reduction {
    const BlockReduction* kernel = nullptr;
    std::size_t operand = 0;  ///< an input, an output, or a block of its own
  };

  int ndim = 1;
  std::size_t n_inputs = 0, n_outputs = 0;
  std::vector<std::int64_t> item_sizes;  ///< by operand, in bytes
  /// By input: the number that it is padded with, if it is padded. Empty: no input is.
  std::vector<std::uint32_t> fills;
  std::vector<Reduction> reductions;
  AxisSet reduced = 0;    ///< the axes of all reductions
  std::int64_t cost = 1;  ///< of an element, in units of an addition
  /// The functions that the body calls. Without a body the first one computes all, and takes any
  /// number of elements. Without functions, inputs are reduced as they are.
  std::vector<ElementFunction> element_functions;
  Body body = nullptr;
  /// The memory that the body needs beside the operands' blocks: stacks of threads may be small.
  std::size_t own_bytes = 0;

  std::size_t n_operands() const { return n_inputs + n_outputs + reductions.size(); }
};

}  // namespace thunkvm
