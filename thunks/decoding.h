// decoding.h: how a selector's value picks an arm.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace thunkvm {

enum class Decoding : std::uint8_t {
  Truth,  ///< two arms: arm 0 if the value is false (zero), arm 1 if it is true; NaN is an error
  Index,  ///< arm i for the value i in [0, n); anything else is an error
  IndexOrDefault,  ///< arm i for the value i in [0, n-1); anything else takes the last arm
};

/// The names of the decodings, in attributes and in all texts.
inline constexpr std::array<const char*, 3> kDecodingNames{"truth", "index", "index_or_default"};
inline constexpr const char* name(Decoding decoding) {
  return kDecodingNames[static_cast<std::size_t>(decoding)];
}
/// The decoding of this name; none where there is none.
constexpr std::optional<Decoding> decoding_named(std::string_view wanted) {
  for (std::size_t i = 0; i < kDecodingNames.size(); ++i)
    if (kDecodingNames[i] == wanted) return static_cast<Decoding>(i);
  return std::nullopt;
}

}  // namespace thunkvm
