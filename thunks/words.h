// words.h: the words of an enum's values, said once: for texts, and for Python.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace thunkvm {

/// A specialisation has `name`, the enum's name in Python, and `words`, an array with one word for
/// each value, in their order.
template <class Enum>
struct Words;

template <class Enum>
concept HasWords = requires { Words<Enum>::words; };

template <HasWords Enum>
constexpr const char* name(Enum value) {
  return Words<Enum>::words[static_cast<std::size_t>(value)];
}

/// The value of this word; none where there is none.
template <HasWords Enum>
constexpr std::optional<Enum> named(std::string_view word) {
  std::size_t i = 0;
  for (const std::string_view known : Words<Enum>::words) {
    if (known == word) return static_cast<Enum>(i);
    ++i;
  }
  return std::nullopt;
}

}  // namespace thunkvm
