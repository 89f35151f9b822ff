#include "thunks/bools.h"

#include "thunks/strided.h"

#include <array>

namespace thunkvm {

bool holds_bools(const Array& array) {
  unsigned char bits = 0;
  StridedWalk(array.shape(), std::array{operand(array)})
      .run([&](char* const* p, const std::int64_t* s, std::int64_t n) {
        const auto* const bytes = reinterpret_cast<const unsigned char*>(p[0]);
        if (s[0] == 1)
          for (std::int64_t i = 0; i < n; ++i) bits |= bytes[i];
        else
          for (std::int64_t i = 0; i < n; ++i) bits |= bytes[i * s[0]];
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
