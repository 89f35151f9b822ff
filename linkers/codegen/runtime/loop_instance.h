// loop_instance.h: a loop nest, resolved for operands that lie in a certain way.
//
// Most loops meet the same lengths and strides in every call. What follows from them - the shape
// of the loop, where in its source each operand begins, how it is cut into tiles - is an instance.
// It is kept in memory of the frame beside the lengths and strides themselves; where these are the
// same again, so is the instance, and a loop of a few elements costs little more than its loop
// body.
#pragma once

#include "linkers/codegen/runtime/iteration_tiles.h"
#include "linkers/codegen/runtime/loop_nest.h"

#include <cstddef>
#include <vector>

namespace thunkvm {

/// Where the sources of a nest lie in one call, and the lengths that vectors say: all that an
/// instance follows from.
class LoopLayouts {
 public:
  LoopLayouts(const LoopNest& nest, const NativeCall& call);

  struct SourceLayout : Layout {
    std::int64_t version;  ///< of the lengths of a value in a slot; 0: it is an array
  };
  const SourceLayout& source(std::size_t i) const { return sources_[i]; }
  /// What vector i of LoopNest::lengths says, a length for each axis of the loop; empty where it
  /// has another number of them.
  const std::vector<std::int64_t>& given(std::size_t i) const { return given_[i]; }
  /// For functions that find a slice: they read nothing of it.
  const Activation& activation() const { return activation_; }

 private:
  const Activation& activation_;
  SourceLayout sources_[kLoopOperands];
  std::vector<std::vector<std::int64_t>> given_;
};

/// How an input is found.
struct OperandMap {
  std::int64_t offset = 0;       ///< its first element, from that of its source, in bytes
  std::uint32_t source = kNone;  ///< kNone: it is among the numbers
  enum class Kind : std::uint8_t {
    Identity,    ///< the elements lie side by side, as the loop meets them
    Broadcast,   ///< one element, again and again
    Strided,     ///< along axes of memory
    Pad,         ///< along axes of memory, in a part of the iteration space; else a number
    Surrounded,  ///< the same in one block, with room for the numbers where the elements lie
  };
  Kind kind = Kind::Identity;
  bool has_lanes = false;  ///< behind its elements there are more, for all lanes of a loop body
  Axes axes;               ///< of its elements, with strides in bytes
  std::int64_t pad_before = 0;  ///< elements of the loop in front of its first one
  Axes pad_axes;                ///< its axes in the loop, with strides in elements
};

/// Lies in memory of the call, with all that it refers to.
struct LoopInstance {
  std::int64_t size = 0;  ///< of the loop, in elements; 0: nothing is resolved
  bool is_block = false;  ///< it is one block, and all of it is reduced to numbers, if it is
  OperandMap* inputs = nullptr;
  std::uint64_t gathered = 0;    ///< bit i: input i is gathered into scratch, block by block
  std::uint64_t surrounded = 0;  ///< bit i: numbers are written around input i
  std::uint64_t ends = 0;        ///< bit i: input i is read as it lies, and its memory ends there
  std::uint64_t in_slots = 0;  ///< bit j: output j is in its slot, which the executor gave lengths
  Dims shape;
  Dims kept, kept_as_ones;  ///< lengths of a reduction's result: without reduced axes, or of 1
  IterationTiles tiles;
  std::size_t* state_bytes = nullptr;  ///< by reduction: of each outer index of a tile
  std::size_t states_bytes = 0;        ///< of all of a tile

  /// The memory of a nest's instance, in bytes.
  static std::size_t bytes(const LoopNest& nest);
  /// The instance in such memory, which was zeros before the first call.
  static LoopInstance& of(const LoopNest& nest, const NativeCall& call) {
    return *reinterpret_cast<LoopInstance*>(call.memory + nest.instance_at);
  }
  /// True if it is the one for how the sources lie in this call; `data` then has where each is.
  bool fits(const LoopNest& nest, const NativeCall& call, char** data) const;

  /// By source: where it is looked for, and the version of its lengths, or these and its strides.
  std::int64_t* key = nullptr;
};

/// Makes `instance`, in its memory, what follows from the layouts and from nothing else. False if
/// the members cannot run as one pass; may throw what one of them raises. There is no instance
/// then.
bool resolve(const LoopNest& nest, const LoopLayouts& layouts, LoopInstance& instance);

}  // namespace thunkvm
