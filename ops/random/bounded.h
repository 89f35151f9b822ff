// bounded.h: integers within bounds, NumPy's bit for bit (D. Lemire, Fast random integer generation
// in an interval, 2019; for shuffles rejection under a mask).
#pragma once

#include "ops/random/pcg64.h"

#include <cstdint>
#include <limits>
#include <type_traits>

namespace thunkvm {

/// Integers of 8, 16, 32 or 64 bits, or bools. Those of 8 and 16 bits and the bools are parts of
/// draws of 32, of which what is left is kept to the end of one draw of an array.
template <class U>
class Bounded {
 public:
  /// An integer from 0 to `last`.
  U operator()(Pcg64& bits, U last) {
    if (last == 0) return 0;
    if constexpr (std::is_same_v<U, bool>) {
      return part(bits, 1) != 0;
    } else if constexpr (sizeof(U) == 8) {
      if (last < kMax32) return below<std::uint64_t, std::uint32_t>(bits, last);
      if (last == kMax32) return bits.next32();
      return below<Wide, std::uint64_t>(bits, last);
    } else if constexpr (sizeof(U) == 4) {
      return below<std::uint64_t, std::uint32_t>(bits, last);
    } else {
      return below<std::uint32_t, U>(bits, last);
    }
  }

 private:
  __extension__ using Wide = unsigned __int128;
  static constexpr std::uint64_t kMax32 = std::numeric_limits<std::uint32_t>::max();

  /// `width` bits of the last 32 that were drawn, from the lowest on.
  std::uint32_t part(Pcg64& bits, int width) {
    if (left_ == 0) {
      word_ = bits.next32();
      left_ = 32 / width - 1;
    } else {
      word_ >>= width;
      --left_;
    }
    return word_ & ((1U << width) - 1);
  }

  template <class V>
  V word(Pcg64& bits) {
    if constexpr (sizeof(V) == 8)
      return bits.next64();
    else if constexpr (sizeof(V) == 4)
      return bits.next32();
    else
      return static_cast<V>(part(bits, 8 * static_cast<int>(sizeof(V))));
  }

  /// V: what is drawn; Product: of twice its bits or more.
  template <class Product, class V>
  U below(Pcg64& bits, U last) {
    constexpr V kMost = std::numeric_limits<V>::max();
    if (last == kMost) return static_cast<U>(word<V>(bits));
    constexpr int kBits = 8 * static_cast<int>(sizeof(V));
    const V size = static_cast<V>(last + 1);
    Product product = static_cast<Product>(word<V>(bits)) * size;
    V rest = static_cast<V>(product);
    if (rest < size) {
      const V threshold = static_cast<V>(static_cast<V>(kMost - last) % size);
      while (rest < threshold) {
        product = static_cast<Product>(word<V>(bits)) * size;
        rest = static_cast<V>(product);
      }
    }
    return static_cast<U>(product >> kBits);
  }

  std::uint32_t word_ = 0;
  int left_ = 0;
};

/// An integer from 0 to `last`, by rejection: what NumPy shuffles arrays by.
inline std::uint64_t masked(Pcg64& bits, std::uint64_t last) {
  if (last == 0) return 0;
  std::uint64_t mask = last;
  for (int shift = 1; shift < 64; shift *= 2) mask |= mask >> shift;
  for (;;) {
    const std::uint64_t value = (last <= 0xffffffffU ? bits.next32() : bits.next64()) & mask;
    if (value <= last) return value;
  }
}

}  // namespace thunkvm
