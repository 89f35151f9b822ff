// resolved_nest.h: a nest, resolved for one layout of its operands.
//
// An instance follows from lengths and strides alone: the index map of each input, and the tiles of
// the iteration space. It lies in memory of the caller, who may keep it: most nests meet the same
// layouts in every call.
#pragma once

#include "ops/kernels/iteration_tiles.h"
#include "ops/kernels/nest.h"
#include "ops/kernels/view.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace thunkvm {

/// The index map of an input: how its elements are found.
struct OperandMap {
  enum class Kind : std::uint8_t {
    Identity,   ///< the elements lie side by side, as the nest meets them
    Broadcast,  ///< one element, again and again
    Strided,    ///< along axes of memory
    Pad,        ///< along axes of memory, in a part of the iteration space; else a number
  };
  Kind kind = Kind::Identity;
  NestAxes axes;                  ///< of its elements, with strides in bytes
  std::int64_t rows_at_once = 1;  ///< of its rows, if it is gathered (row_tile.h)
  std::int64_t pad_before = 0;    ///< elements of the nest in front of its first one
  NestAxes pad_axes;              ///< its axes in the nest, with strides in elements
};

/// Lies in memory of the caller with all its parts: `bytes`, aligned to 16.
struct ResolvedNest {
  std::int64_t size = 0;  ///< of the nest, in elements; 0: nothing is resolved
  bool is_block = false;  ///< it is one block, and each reduction makes one number of it
  OperandMap* inputs = nullptr;
  bool is_in_place = false;    ///< inputs are reduced as they are, where they lie
  std::uint64_t gathered = 0;  ///< bit i: input i is gathered into scratch, block by block
  std::uint64_t scratch = 0;   ///< bit k: the blocks of operand k are in scratch
  std::uint64_t ends = 0;      ///< bit i: input i is read as it lies, and its memory ends behind it
  Dims shape;
  Dims kept, kept_as_ones;  ///< lengths of a reduction's result: without reduced axes, or of 1
  IterationTiles tiles;
  std::size_t* state_bytes = nullptr;  ///< by reduction: of each outer index of a tile
  std::size_t states_bytes = 0;        ///< of all of a tile

  static std::size_t bytes(const Nest& nest);
  /// The bytes that a run reads and writes: each operand once, even if it is repeated along an
  /// axis.
  std::uint64_t bytes_moved(const Nest& nest) const;
};

/// Memory of one instance that is not kept.
class InstanceMemory {
 public:
  explicit InstanceMemory(const Nest& nest) : at_(own_) {
    const std::size_t bytes = ResolvedNest::bytes(nest);
    if (bytes <= sizeof(own_)) return;
    memory_ =
        std::make_unique_for_overwrite<std::max_align_t[]>(bytes / sizeof(std::max_align_t) + 1);
    at_ = memory_.get();
  }
  ResolvedNest& operator*() const { return *reinterpret_cast<ResolvedNest*>(at_); }

 private:
  std::max_align_t own_[kInstanceWords];
  std::max_align_t* at_;
  std::unique_ptr<std::max_align_t[]> memory_;
};

/// Lengths, and the axes that are reduced. A space may have fewer axes than its nest says.
struct IterationSpace {
  Dims shape;
  AxisSet reduced = 0;
};

/// Makes an instance:
///
///   Resolution resolution(nest, instance, space);   // of elements, kMostNestElements at most
///   resolution.map(layout);                         // or pad: for each input, in order
///   resolution.finish();                            // from now on the instance is valid
class Resolution {
 public:
  /// For a space of the axes that the nest says.
  Resolution(const Nest& nest, ResolvedNest& instance);
  Resolution(const Nest& nest, ResolvedNest& instance, const IterationSpace& space)
      : Resolution(nest, instance) {
    ndim_ = space.shape.size();
    reduced_ = space.reduced;
    std::copy(space.shape.begin(), space.shape.end(), shape_);
  }

  /// The lengths. If no space was given, they are to be written before the first operand is mapped.
  std::int64_t* shape() { return shape_; }
  Dims dims() const { return {shape_, ndim_}; }
  /// The next input, which can be broadcast to the shape. `has_lanes`: behind its elements there
  /// are more, for all lanes of a body.
  void map(const Layout& operand, bool has_lanes = false);
  /// The same of an input that is at `part` of the space, and a number elsewhere. Strides of the
  /// part are in elements of the space, from `origin` on. False, and nothing is mapped, if the part
  /// is not met in the order of the nest, or the operand cannot be broadcast to it.
  bool pad(const Layout& operand, const View& part, const char* origin);
  void finish();

 private:
  NestAxes broadcast_to(Dims to, const Layout& from);
  bool reads_in_place() const;
  void find_row_tiles();
  void find_result_shapes();
  void lay_out_states();

  const Nest& nest_;
  ResolvedNest& instance_;
  std::size_t ndim_;
  AxisSet reduced_;
  std::size_t next_ = 0;  // input
  Axis* axes_;            // the next free ones
  std::int64_t* shape_;   // and lengths of results
};

/// True if a value of lengths `from` can be broadcast to `to`.
bool broadcasts(Dims from, Dims to);

}  // namespace thunkvm
