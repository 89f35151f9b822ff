// loop_nest.h: several elementwise nodes, and the reductions that consume them, as one pass over
// memory.
//
// A nest is what the plan says of a loop. It is a value: an iteration space, operands that are
// found by index maps, the statements of its loop body, reductions, outputs. The loop body is
// emitted C that computes a block of up to 512 elements, whose operands lie next to each other in
// first-level cache. What surrounds it is the same for all nests:
//
//   LoopNest  --resolve-->  LoopInstance  --execute-->  outputs and reductions
//   of the plan             of the operands' layouts    of one call
//
// (loop_instance.h, loop_executor.h). An operand that is not contiguous is gathered into a block
// first, so that a loop body is compiled once and sees no strides; and what a block computes does
// not depend on where an element lies in it.
//
// Nodes that only say where elements lie (ops/graph/index_map.h) are members too, as index maps
// of operands: a slice is read where it is, a broadcast number is read again, a value is padded
// with numbers, and lengths are compared with those of the loop.
//
// A nest stands for its nodes' own kernels, with the same bits. Where they cannot run as one pass
// (an intermediate is smaller than the result, shapes do not fit, there are no elements), those
// kernels are run one by one, and raise the errors that there are to raise.
#pragma once

#include "linkers/codegen/runtime/limits.h"
#include "linkers/codegen/runtime/native_steps.h"
#include "ops/elementwise/elementwise_loop.h"
#include "ops/graph/index_map.h"
#include "ops/kernels/block_reduction.h"
#include "vm/native.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace thunkvm {

constexpr std::int64_t whole_lanes(std::int64_t n) {
  return (n + kLoopLanes - 1) / kLoopLanes * kLoopLanes;
}

struct LoopNest {
  /// Computes `n` elements (a multiple of kLoopLanes, at most kLoopBlock): `blocks` are those of
  /// the inputs, the outputs, and what is reduced, in this order; `numbers` the 0-d inputs' values.
  using Body = void (*)(char* const* blocks, const NumberBits* numbers,
                        const ElementLoop* element_loops, std::int64_t n);

  /// A member whose slice of an array is found without running it.
  struct Slice {
    FindView find = nullptr;
    std::uint32_t member = 0;  ///< in `members`
  };
  /// An array, or a slice of a slice of it.
  struct Source {
    std::uint32_t reg = 0;
    std::uint32_t slot = kNone;  ///< where it is if it is no array (call_memory.h)
    DType dtype = DType::Float64;
    int ndim = 0;               ///< of the array
    std::vector<Slice> slices;  ///< from the array on
    bool shape_only = false;    ///< in a slot: it has lengths, and no elements
  };
  /// What is an input in a slice of the iteration space and a number everywhere else.
  struct Pad {
    Slice slice;
    std::uint32_t fill = 0;       ///< index in `numbers`
    std::uint32_t value = kNone;  ///< the same, where what is padded is a number
  };
  struct Input {
    std::uint32_t source = kNone;  ///< index in `sources`; kNone: a number is padded
    DType dtype = DType::Float64;
    bool dies = false;  ///< this loop is the last that reads its source, and through it alone
    std::optional<Pad> pad;
  };
  struct Number {
    std::uint32_t reg = 0;
    DType dtype = DType::Float64;
    bool local = false;  ///< a variable of the emitted code: its register is empty
  };
  struct Output {
    std::vector<std::uint32_t> registers;  ///< one or more
    std::uint32_t slot = kNone;            ///< where it goes if it fits
    DType dtype = DType::Float64;
    std::uint64_t may_take = 0;  ///< bit i: input i dies, and is not read after this is written
  };
  struct Reduction {
    const BlockReduction* kernel = nullptr;
    std::uint32_t reg = 0;
    std::size_t operand = 0;  ///< whose block is reduced: an input's, an output's, or its own
    bool keepdims = false;
  };

  // The iteration space: what its lengths follow from.
  int ndim = 1;
  /// By member whose inputs are not known to have the nest's shape: the inputs (bits) that give it
  /// its own, which has to be that of the nest.
  std::vector<std::uint64_t> shaping;
  std::vector<std::uint32_t> alike;    ///< indices of sources that have to have the nest's shape
  std::vector<std::uint32_t> lengths;  ///< registers of int64 vectors that have to be that shape

  std::vector<Source> sources;  ///< each once
  std::vector<Input> inputs;
  std::vector<Number> numbers;
  std::vector<Output> outputs;
  std::vector<Reduction> reductions;
  AxisSet reduced = 0;  ///< the axes of all reductions

  std::vector<std::uint32_t> shape_only;  ///< slots of values of which others need only the lengths
  std::size_t room = 0;                   ///< of each slot, in bytes
  std::size_t n_slices = 0;               ///< how many slices it finds
  std::vector<std::int64_t> item_sizes;   ///< of inputs, outputs and reductions, in bytes
  std::int64_t cost = 1;                  ///< of an element, in units of an addition
  std::vector<ElementLoop> element_loops;
  Body body = nullptr;  ///< null: it computes nothing

  NativeSteps members;
  std::vector<std::uint32_t> internal;  ///< registers of values that only members read
  std::vector<Source> slot_values;      ///< what members read that may be in a slot
  std::size_t instance_at = 0;          ///< where in the call's memory its instance is

  /// False if others need nothing but lengths of it.
  bool computes() const { return !outputs.empty() || !reductions.empty(); }
};

}  // namespace thunkvm
