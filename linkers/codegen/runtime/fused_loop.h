// fused_loop.h: several elementwise nodes, and the reductions that consume them, as one pass over
// memory.
//
// The arithmetic is emitted C: a body that computes a block of up to 512 elements whose operands
// lie next to each other in first-level cache. What surrounds it is here and the same for all
// bodies: shapes, memory, broadcasting, strides and tails. An operand that is not contiguous, or
// ends within a block, is packed into a block first, so that a body is compiled once and sees no
// strides; and what a block computes does not depend on where an element lies in it.
//
// Nodes that only say where elements lie (ops/graph/arrangement.h) are members too: a part of an
// array is read where it is, a number is repeated by reading it again, and lengths are compared
// with those of the loop.
//
// A loop stands for its nodes' own kernels, with the same bits. Where they cannot run as one pass
// (an intermediate is smaller than the result, shapes do not fit, there are no elements), those
// kernels are run one by one, and raise the errors that there are to raise.
#pragma once

#include "linkers/codegen/runtime/native_steps.h"
#include "ops/elementwise/elementwise_loop.h"
#include "ops/graph/arrangement.h"
#include "ops/kernels/block_fold.h"
#include "vm/native.h"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace thunkvm {

inline constexpr int kLoopBlock = 512;  ///< elements of a block; a multiple of kFoldBlock
inline constexpr int kLoopLanes = 16;   ///< bodies compute a multiple of so many
constexpr std::int64_t whole_lanes(std::int64_t n) {
  return (n + kLoopLanes - 1) / kLoopLanes * kLoopLanes;
}

/// Inputs, outputs and folds of one loop.
inline constexpr int kLoopOperands = 64;

struct FusedLoop {
  /// Computes `n` elements (a multiple of kLoopLanes, at most kLoopBlock): `blocks` are those of
  /// the inputs, the outputs, and the folds' values, in this order; `numbers` the 0-d inputs.
  using Body = void (*)(char* const* blocks, const NumberBits* numbers,
                        const ElementLoop* element_loops, std::int64_t n);

  /// A member whose part of an array is found without running it.
  struct Finder {
    FindView find = nullptr;
    std::uint32_t member = 0;  ///< in `members`
  };
  /// An array, or a part of a part of it.
  struct Source {
    std::uint32_t reg = 0;
    std::uint32_t temporary = kNone;  ///< its slot, if it may be one (call_memory.h)
    DType dtype = DType::Float64;
    int ndim = 0;
    std::vector<Finder> parts;  ///< from the array on
    bool measured = false;      ///< of a temporary: it has lengths, and no elements
  };
  /// What is an input in a part of the loop's shape and a number everywhere else.
  struct Placement {
    Finder part;
    std::uint32_t fill = 0;       ///< index in `numbers`
    std::uint32_t value = kNone;  ///< the same, where a number is placed
  };
  struct Input {
    std::uint32_t source = kNone;  ///< index in `sources`; kNone: a number is placed
    DType dtype = DType::Float64;
    bool dies = false;  ///< its memory may become an output's
    std::optional<Placement> placement;
  };
  struct Number {
    std::uint32_t reg = 0;
    DType dtype = DType::Float64;
    bool local = false;  ///< a variable of the emitted code: its register is empty
  };
  struct Output {
    std::vector<std::uint32_t> registers;  ///< one or more
    std::uint32_t temporary = kNone;       ///< its slot, if it may be one
    DType dtype = DType::Float64;
    std::uint64_t may_take = 0;  ///< bit i: input i is not read after this is written
  };
  struct Fold {
    const BlockFold* fold = nullptr;
    std::uint32_t reg = 0;
    std::size_t operand = 0;  ///< whose block is folded: an input's, an output's, or its own
    bool keepdims = false;
  };

  std::vector<Source> sources;  ///< each once
  std::vector<Input> inputs;
  std::vector<Number> numbers;
  std::vector<Output> outputs;
  std::vector<Fold> folds;
  std::size_t room = 0;                 ///< of each output that is a temporary, in bytes
  std::vector<std::uint32_t> measured;  ///< slots of values of which others need only the lengths
  int ndim = 1;
  AxisSet reduced = 0;             ///< that the folds reduce
  bool folds_are_numbers = false;  ///< 0-d, all of them
  /// Of each member whose inputs are not known to have the loop's shape: the inputs (bits) that
  /// give it its own, which has to be that of the loop.
  std::vector<std::uint64_t> shaping;
  std::vector<std::uint32_t> alike;    ///< indices of sources that have to have the loop's shape
  std::vector<std::uint32_t> lengths;  ///< registers of int64 vectors that have to be that shape
  std::size_t n_parts = 0;             ///< how many parts of arrays it finds
  bool places = false;                 ///< one of its inputs has a placement
  std::vector<ElementLoop> element_loops;
  std::vector<std::int64_t> item_sizes;  ///< of inputs, outputs and folds, in bytes
  std::int64_t cost = 1;                 ///< of an element, in units of an addition
  Body body = nullptr;                   ///< null: it computes nothing
  NativeSteps members;
  std::vector<std::uint32_t> internal;  ///< registers of values that only members read
  std::vector<Source> temporaries;      ///< what members read that may be one
  std::size_t memory_at = 0;            ///< where in the call's memory SmallLoop has its own

  /// False if others need nothing but lengths of it.
  bool computes() const { return !outputs.empty() || !folds.empty(); }

  /// False: the call has failed, which was noted. `numbers` are the 0-d inputs' values; the results
  /// of folds that are 0-d go to `results`, in the folds' order.
  bool run(NativeCall& call, const NumberBits* numbers, NumberBits* results) const;

 private:
  class Run;
  bool run_once(NativeCall& call, const NumberBits* numbers, NumberBits* results) const;
  /// Makes arrays of what members read and write in registers.
  void move_temporaries(NativeCall& call) const;
  bool run_members(NativeCall& call, const NumberBits* numbers, NumberBits* results) const;
};

}  // namespace thunkvm
