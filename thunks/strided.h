// strided.h: walks over several strided arrays of one shape at once.
#pragma once

#include "thunks/array.h"

#include <cstdint>
#include <span>
#include <vector>

namespace thunkvm {

/// The shape that NumPy broadcasting gives these arrays. Throws Error(Value) in NumPy's words,
/// prefixed with "[op] ".
std::vector<std::int64_t> broadcast_shapes(std::span<const Dims> shapes, const char* op);

/// A walk over N operands, each broadcast to `shape`, in C order of `shape`, as inner runs over one
/// axis. Axes that can be merged for all operands at once are, so that contiguous operands give one
/// run.
///
/// `loop(char* const* pointers, const std::int64_t* strides, std::int64_t n)` is called for each
/// run, with the addresses and the byte strides of all operands; never with n == 0.
class StridedWalk {
 public:
  struct Operand {
    char* data;
    Dims shape;
    Dims strides;
  };
  StridedWalk(Dims shape, std::span<const Operand> operands);

  template <class Loop>
  void run(Loop&& loop) {
    if (empty_) return;
    if (outer_ == 0) {
      loop(pointers_.data(), inner_strides(), inner_length());
      return;
    }
    std::vector<std::int64_t> index(outer_, 0);
    std::vector<char*> pointers = pointers_;
    for (;;) {
      loop(pointers.data(), inner_strides(), inner_length());
      if (!advance(index, pointers)) return;
    }
  }

 private:
  const std::int64_t* inner_strides() const { return strides_.data() + outer_ * n_operands_; }
  std::int64_t inner_length() const { return lengths_[outer_]; }
  bool advance(std::vector<std::int64_t>& index, std::vector<char*>& pointers) const;

  std::size_t n_operands_;
  std::size_t outer_ = 0;  ///< axes before the inner one
  bool empty_ = false;
  std::vector<char*> pointers_;
  std::vector<std::int64_t> lengths_;  ///< of the merged axes, the inner one last
  std::vector<std::int64_t> strides_;  ///< [axis][operand], bytes
};

/// Writes the strides of an array in C order whose elements lie `step` apart. They may wrap if it
/// has no elements and the product of its other lengths is too large: no code uses a stride then.
inline void fill_dense_strides(Dims shape, std::int64_t step, std::int64_t* strides) {
  auto next = static_cast<std::uint64_t>(step);
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    strides[axis] = static_cast<std::int64_t>(next);
    next *= static_cast<std::uint64_t>(shape[axis] == 0 ? 1 : shape[axis]);
  }
}
inline std::vector<std::int64_t> dense_strides(Dims shape, std::size_t step) {
  std::vector<std::int64_t> strides(shape.size());
  fill_dense_strides(shape, static_cast<std::int64_t>(step), strides.data());
  return strides;
}

inline StridedWalk::Operand operand(const Array& a) { return {a.data(), a.shape(), a.strides()}; }

}  // namespace thunkvm
