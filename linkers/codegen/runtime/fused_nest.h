// fused_nest.h: several elementwise nodes, and the reductions that consume them, as one nest.
//
// A fused nest is a nest (ops/kernels/nest.h) with emitted C as its body. It has the registers of
// its operands, the index maps by which they are found, the rules of its iteration space, and the
// places of its results. docs/nests.md follows one. It is a value:
//
//   FusedNest --resolve--> NestInstance --run--> registers of one call
//
// (nest_instance.h, nest_executor.h). Nodes that only say where elements lie
// (ops/graph/index_map.h) are members too, as index maps of operands: a slice is read where it is,
// a broadcast number is read again, a value is padded with numbers, and lengths are compared with
// those of the nest.
//
// A fused nest stands for its nodes' own kernels, with the same bits. If they cannot run as one
// pass (an intermediate is smaller than the result, shapes do not fit, there are no elements),
// those kernels run one by one, and raise their errors.
#pragma once

#include "ops/graph/index_map.h"
#include "ops/kernels/nest.h"
#include "vm/native.h"
#include "vm/native_steps.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace thunkvm {

struct FusedNest {
  /// A member that is a slice of an array, which is found without running it.
  struct Slice {
    FindView find = nullptr;
    std::uint32_t member = 0;  ///< in `members`
  };
  /// An array, or a slice of a slice of it.
  struct Source {
    std::uint32_t reg = 0;
    std::uint32_t slot = kNone;  ///< its slot if it is no array (call_memory.h)
    DType dtype = DType::Float64;
    int ndim = 0;               ///< of the array
    std::vector<Slice> slices;  ///< from the array on
  };
  /// The pad of an input: it is the input in a slice of the iteration space, and a number
  /// elsewhere.
  struct Pad {
    Slice slice;
    std::uint32_t value = kNone;  ///< index in `numbers`, if the padded value is one
  };
  struct Input {
    std::uint32_t source = kNone;  ///< index in `sources`; kNone: a number is padded
    DType dtype = DType::Float64;
    bool dies = false;  ///< this nest is the last that reads its source, and through it alone
    std::optional<Pad> pad;
  };
  struct Number {
    std::uint32_t reg = 0;
    DType dtype = DType::Float64;
    bool local = false;  ///< a variable of the emitted code: its register is empty
  };
  struct Output {
    std::vector<std::uint32_t> registers;  ///< one or more
    std::uint32_t slot = kNone;            ///< the slot that it goes to if it fits
    DType dtype = DType::Float64;
    std::uint64_t may_take = 0;  ///< bit i: input i dies, and is not read after this is written
  };
  struct Result {
    std::uint32_t reg = 0;
    DType dtype = DType::Float64;
    bool keepdims = false;
  };

  /// The body is null if others need nothing but lengths of it.
  Nest nest;

  // The rules of the iteration space.
  /// The inputs (bits) that give a member its own iteration space, which has to be that of the
  /// nest.
  std::vector<std::uint64_t> own_spaces;
  std::vector<std::uint32_t> alike;    ///< indices of sources that have to have the nest's shape
  std::vector<std::uint32_t> lengths;  ///< registers of int64 vectors that have to be that shape

  std::vector<Source> sources;  ///< each once
  std::vector<Input> inputs;
  std::vector<Number> numbers;
  std::vector<Output> outputs;
  std::vector<Result> results;  ///< of the nest's reductions

  std::vector<std::uint32_t> shape_only;  ///< slots of values of which others read only the lengths
  std::size_t room = 0;                   ///< of each slot, in bytes

  NativeSteps members;
  std::vector<std::uint32_t> internal;  ///< registers of values that only members read
  std::vector<Source> slot_values;      ///< inputs of members that may be in a slot
  std::size_t instance_at = 0;          ///< the place of its instance in the call's memory

  bool computes() const { return !outputs.empty() || !results.empty(); }
};

}  // namespace thunkvm
