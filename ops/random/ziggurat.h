// ziggurat.h: standard normal and exponential numbers by the ziggurat method, NumPy's bit for bit:
// a strip and a point in it from one integer, which nearly always lies under the curve.
#pragma once

#include "ops/random/exponential_strips.h"
#include "ops/random/normal_strips.h"
#include "ops/random/pcg64.h"

#include <array>
#include <cmath>
#include <cstdint>

namespace thunkvm {

namespace ziggurat {

/// The strips for float32, whose integers have 23 bits.
struct Strips32 {
  std::array<std::uint32_t, 256> inside{};
  std::array<float, 256> width{}, height{};
};

/// From those for float64, whose integers have `bits`.
constexpr Strips32 narrowed(const std::uint64_t* inside, const double* width, const double* height,
                            int bits) {
  Strips32 strips;
  for (std::size_t i = 0; i < 256; ++i) {
    strips.inside[i] = static_cast<std::uint32_t>(((inside[i] >> (bits - 24)) + 1) >> 1);
    strips.width[i] =
        static_cast<float>(width[i] * static_cast<double>(std::uint64_t{1} << (bits - 23)));
    strips.height[i] = static_cast<float>(height[i]);
  }
  return strips;
}

constexpr Strips32 exponential32() {
  Strips32 strips = narrowed(exponential_strips::kInside, exponential_strips::kWidth,
                             exponential_strips::kHeight, 53);
  // NumPy's are not the rounded ones here.
  strips.height[128] = 0x1.816524p-3F;
  strips.height[154] = 0x1.0f3f8p-3F;
  strips.height[171] = 0x1.9f04dcp-4F;
  strips.width[226] = 0x1.d87948p-22F;
  return strips;
}

inline constexpr Strips32 kNormal32 =
    narrowed(normal_strips::kInside, normal_strips::kWidth, normal_strips::kHeight, 52);
inline constexpr Strips32 kExponential32 = exponential32();

}  // namespace ziggurat

template <class T>
T standard_exponential(Pcg64& bits);

template <>
inline double standard_exponential<double>(Pcg64& bits) {
  namespace strips = exponential_strips;
  for (;;) {
    std::uint64_t r = bits.next64() >> 3;
    const std::size_t strip = r & 0xff;
    r >>= 8;
    const double x = static_cast<double>(r) * strips::kWidth[strip];
    if (r < strips::kInside[strip]) [[likely]]
      return x;
    // 1 - U, since U may be 0.
    if (strip == 0) return strips::kTail - std::log1p(-bits.next_double());
    if ((strips::kHeight[strip - 1] - strips::kHeight[strip]) * bits.next_double() +
            strips::kHeight[strip] <
        std::exp(-x))
      return x;
  }
}

template <>
inline float standard_exponential<float>(Pcg64& bits) {
  const ziggurat::Strips32& strips = ziggurat::kExponential32;
  for (;;) {
    std::uint32_t r = bits.next32() >> 1;
    const std::size_t strip = r & 0xff;
    r >>= 8;
    const float x = static_cast<float>(r) * strips.width[strip];
    if (r < strips.inside[strip]) [[likely]]
      return x;
    if (strip == 0)
      return static_cast<float>(exponential_strips::kTail) - std::log1p(-bits.next_float());
    if ((strips.height[strip - 1] - strips.height[strip]) * bits.next_float() +
            strips.height[strip] <
        std::exp(-x))
      return x;
  }
}

template <class T>
T standard_normal(Pcg64& bits);

template <>
inline double standard_normal<double>(Pcg64& bits) {
  namespace strips = normal_strips;
  for (;;) {
    const std::uint64_t r = bits.next64();
    const std::size_t strip = r & 0xff;
    const std::uint64_t size = (r >> 9) & 0x000fffffffffffff;
    const double width = static_cast<double>(size) * strips::kWidth[strip];
    const double x = (r & 0x100) != 0 ? -width : width;
    if (size < strips::kInside[strip]) [[likely]]
      return x;
    if (strip == 0) {
      for (;;) {
        const double xx = -strips::kInverseTail * std::log1p(-bits.next_double());
        const double yy = -std::log1p(-bits.next_double());
        if (yy + yy > xx * xx)
          return ((size >> 8) & 1) != 0 ? -(strips::kTail + xx) : strips::kTail + xx;
      }
    }
    if ((strips::kHeight[strip - 1] - strips::kHeight[strip]) * bits.next_double() +
            strips::kHeight[strip] <
        std::exp(-0.5 * x * x))
      return x;
  }
}

template <>
inline float standard_normal<float>(Pcg64& bits) {
  const ziggurat::Strips32& strips = ziggurat::kNormal32;
  const auto tail = static_cast<float>(normal_strips::kTail);
  const auto inverse_tail = static_cast<float>(normal_strips::kInverseTail);
  for (;;) {
    const std::uint32_t r = bits.next32();
    const std::size_t strip = r & 0xff;
    const std::uint32_t size = (r >> 9) & 0x0007fffff;
    const float width = static_cast<float>(size) * strips.width[strip];
    const float x = (r & 0x100) != 0 ? -width : width;
    if (size < strips.inside[strip]) [[likely]]
      return x;
    if (strip == 0) {
      for (;;) {
        const float xx = -inverse_tail * std::log1p(-bits.next_float());
        const float yy = -std::log1p(-bits.next_float());
        if (yy + yy > xx * xx) return ((size >> 8) & 1) != 0 ? -(tail + xx) : tail + xx;
      }
    }
    // In float64 on the right, as in NumPy.
    if ((strips.height[strip - 1] - strips.height[strip]) * bits.next_float() +
            strips.height[strip] <
        std::exp(-0.5 * static_cast<double>(x) * static_cast<double>(x)))
      return x;
  }
}

}  // namespace thunkvm
