// integers.cpp: the draws of integers within bounds, of each dtype.
#include "ops/random/bounded.h"
#include "ops/random/draw.h"

#include <limits>
#include <type_traits>

namespace thunkvm {

namespace {

template <class T>
struct UnsignedType : std::make_unsigned<T> {};
template <>
struct UnsignedType<bool> : std::type_identity<bool> {};
template <class T>
using UnsignedOf = typename UnsignedType<T>::type;

/// Integers from `low` to `last`, which is one of them.
template <class T>
struct Integers {
  using Value = T;
  using Bound = std::conditional_t<std::is_same_v<T, std::uint64_t>, std::uint64_t, std::int64_t>;
  using Types = std::tuple<Bound, Bound>;
  static constexpr std::int64_t kWeight = 4;

  T operator()(Pcg64& bits, Bound low, Bound last) {
    if (low > last || low < kLeast || last > kMost) [[unlikely]]
      refuse(low, last);
    if constexpr (std::is_same_v<T, bool>) {
      return low == last ? low != 0 : bounded(bits, true);
    } else {
      using U = UnsignedOf<T>;
      return static_cast<T>(
          static_cast<U>(low) +
          bounded(bits, static_cast<U>(static_cast<U>(last) - static_cast<U>(low))));
    }
  }

 private:
  static constexpr Bound kLeast = std::numeric_limits<T>::min();
  static constexpr Bound kMost = std::numeric_limits<T>::max();

  [[noreturn]] static void refuse(Bound low, Bound last) {
    const std::string dtype(name(dtype_of<T>));
    const std::string bounds = ": from " + std::to_string(low) + " to " + std::to_string(last);
    throw Error(ErrorKind::Value,
                "[integers] " +
                    (low < kLeast   ? "low is out of bounds for " + dtype
                     : last > kMost ? "high is out of bounds for " + dtype
                                    : std::string("low lies above the last integer")) +
                    bounds);
  }

  Bounded<UnsignedOf<T>> bounded;
};

constexpr const char* kComment =
    "Integers from `low` to `last`, which is one of them, all as likely.";

#define INTEGERS_EXAMPLE(name, shown) \
  ">>> draw = tv.ops.random_" name    \
  "(tv.random.key(1), [3], 0, 1)\n"   \
  ">>> tv.function([], draw[1])()\n" shown
#define REGISTER_INTEGERS(name, T, shown)                                    \
  REGISTER_DRAW(name, Integers<T>, kComment, INTEGERS_EXAMPLE(#name, shown), \
                {"low", "the least one"}, {"last", "the greatest one"})

REGISTER_INTEGERS(bool, bool, "array([ True,  True,  True])");
REGISTER_INTEGERS(int8, std::int8_t, "array([1, 1, 0], dtype=int8)");
REGISTER_INTEGERS(int16, std::int16_t, "array([1, 0, 1], dtype=int16)");
REGISTER_INTEGERS(int32, std::int32_t, "array([0, 1, 1], dtype=int32)");
REGISTER_INTEGERS(int64, std::int64_t, "array([0, 1, 1])");
REGISTER_INTEGERS(uint8, std::uint8_t, "array([1, 1, 0], dtype=uint8)");
REGISTER_INTEGERS(uint16, std::uint16_t, "array([1, 0, 1], dtype=uint16)");
REGISTER_INTEGERS(uint32, std::uint32_t, "array([0, 1, 1], dtype=uint32)");
REGISTER_INTEGERS(uint64, std::uint64_t, "array([0, 1, 1], dtype=uint64)");

}  // namespace

}  // namespace thunkvm
