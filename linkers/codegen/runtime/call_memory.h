// call_memory.h: small arrays that only emitted nests of one call see, in memory of the frame.
//
// A value that one nest computes and only other nests read needs no Array. It has a slot in the
// memory that a frame keeps for its calls, the same one in all of them, and is gone when the call
// ends:
//
//   | Temporary | kTemporaryFront | elements, up to room(n) bytes | kArrayPadding |
//
// In front of the elements and behind them there is room for all lanes of a nest's body, and for a
// few elements that a nest puts around the value, which then needs no copy (resolved_nest.h).
#pragma once

#include "linkers/codegen/runtime/limits.h"
#include "thunks/array.h"
#include "vm/native.h"

#include <cstddef>

namespace thunkvm {

/// A value in a slot, in C order.
struct Temporary {
  char* data;             ///< its elements; null: the value is an array in its register
  std::uint64_t version;  ///< changes with its lengths; 0: it never had any
  std::int64_t lengths[kInlineDims];
  std::int64_t strides[kInlineDims];  ///< in bytes
};

class CallMemory {
 public:
  /// The bytes that the elements of each of so many temporaries have, and those of a slot. Larger
  /// values are arrays. All slots are at the beginning of the call's memory, and known by their
  /// first byte in it.
  static std::size_t room(std::size_t n_temporaries);
  static std::size_t slot_bytes(std::size_t n_temporaries);

  explicit CallMemory(const NativeCall& call) : memory_(call.memory) {}
  Temporary& operator[](std::uint32_t at) const {
    return *reinterpret_cast<Temporary*>(memory_ + at);
  }
  /// Makes a temporary of uninitialised elements. False if they have no room, so many bytes: then
  /// it is none.
  bool make(std::uint32_t at, std::size_t room, DType dtype, Dims shape, std::int64_t size) const;
  /// The same of one that has lengths only.
  void make_shape_only(std::uint32_t at, Dims shape) const;
  /// Makes a temporary that had these lengths before.
  char* make_again(std::uint32_t at) const { return (*this)[at].data = memory_ + at + kElements; }
  /// Makes it an array in `cell`, if it is a temporary. One that has lengths only becomes a zero
  /// that stands for all its elements. `ndim`: at least 1.
  void move_to(Cell& cell, std::uint32_t at, DType dtype, int ndim) const;

 private:
  static constexpr std::size_t kElements = 128 + kTemporaryFront;  ///< from the beginning of a slot
  static_assert(sizeof(Temporary) <= 128);

  char* memory_;
};

}  // namespace thunkvm
