#include "thunks/bools.h"

#include "thunks/strided.h"

#include <array>

namespace thunkvm {
namespace {

/// The bits that any byte of a run has.
unsigned char bits_of(const char* run, std::int64_t stride, std::int64_t n) {
  const auto* const bytes = reinterpret_cast<const unsigned char*>(run);
  unsigned char bits = 0;
  if (stride == 1)
    for (std::int64_t i = 0; i < n; ++i) bits |= bytes[i];
  else
    for (std::int64_t i = 0; i < n; ++i) bits |= bytes[i * stride];
  return bits;
}

}  // namespace

bool holds_bools(const Array& array) {
  if (array.contiguous()) return bits_of(array.data(), 1, array.size()) <= 1;
  unsigned char bits = 0;
  StridedWalk(array.shape(), std::array{operand(array)})
      .run([&](char* const* pointers, const std::int64_t* strides, std::int64_t n) {
        bits |= bits_of(pointers[0], strides[0], n);
      });
  return bits <= 1;
}

Array with_bools(const Array& array) {
  Array copy = array.copy();
  auto* const bytes = reinterpret_cast<unsigned char*>(copy.data());
  for (std::int64_t i = 0; i < copy.size(); ++i) bytes[i] = bytes[i] != 0 ? 1 : 0;
  return copy;
}

}  // namespace thunkvm
