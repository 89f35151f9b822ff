// digest.h: SHA-256, from Nettle.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace thunkvm {

using Digest = std::array<std::uint8_t, 32>;

/// The SHA-256 of several fields, each with its length before it: {"ab", "c"} is not {"a", "bc"}.
Digest sha256_of_fields(std::initializer_list<std::string_view> fields);

/// 64 lower-case hexadecimal digits.
std::string hexadecimal(const Digest& digest);

}  // namespace thunkvm
