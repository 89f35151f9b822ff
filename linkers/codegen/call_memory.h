// call_memory.h: small arrays that only emitted loops of one call see, in memory of the call.
//
// What one loop computes and only others read needs no Array: its elements lie in memory that the
// frame keeps for its calls, one after the other, and all of them are gone when the call ends.
#pragma once

#include "linkers/codegen/native_steps.h"
#include "thunks/array.h"

#include <cstddef>

namespace thunkvm {

/// A value in the memory of the call, in C order: room for a multiple of kArrayPadding bytes.
struct Temporary {
  char* data;  ///< null: the value is an array in its register
  std::int64_t lengths[kInlineDims];
  std::int64_t strides[kInlineDims];  ///< in bytes
};

class CallMemory {
 public:
  static constexpr std::size_t kMostBytes = 1 << 12;  ///< of one temporary; larger ones are arrays

  /// What so many temporaries need: at the beginning of the call's memory, and for their elements.
  static std::size_t reserved(std::size_t n_temporaries);
  static std::size_t room(std::size_t n_temporaries);

  explicit CallMemory(NativeCall& call) : call_(call) {}
  Temporary& operator[](std::size_t i) const {
    return reinterpret_cast<Temporary*>(call_.memory)[i];
  }
  /// Makes a temporary of uninitialised elements. False if there is no room, or if the call keeps
  /// its values: then it is none.
  bool make(std::size_t i, DType dtype, Dims shape, std::int64_t size) const;
  /// The same for a temporary that had these lengths in an earlier call of the frame, and so many
  /// bytes.
  bool make_again(std::size_t i, std::int64_t bytes) const;
  /// Makes it an array in `cell`, if it is a temporary.
  void move_to(Cell& cell, std::size_t i, DType dtype, int ndim) const;

 private:
  NativeCall& call_;
};

}  // namespace thunkvm
