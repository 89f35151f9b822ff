#include "linkers/codegen/c_text.h"

#include <cctype>
#include <cstdlib>

namespace thunkvm {
namespace {

/// The functions of libm that templates may call; those of floats have an f at the end.
bool is_of_libm(std::string_view word) {
  static const std::set<std::string_view> names = {
      "acos",  "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt",  "cos",
      "cosh",  "erf",   "erfc", "exp",   "exp2", "expm1", "fmod",  "hypot", "log",
      "log10", "log1p", "log2", "pow",   "sin",  "sinh",  "tan",   "tanh"};
  return names.contains(word) ||
         (word.ends_with("f") && names.contains(word.substr(0, word.size() - 1)));
}

}  // namespace

std::string indented(const std::string& text, const std::set<std::uint32_t>& gotos) {
  std::string result;
  std::size_t depth = 1;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t end = text.find('\n', i) + 1;
    const std::size_t first = text.find_first_not_of(' ', i);
    const std::string_view line = std::string_view(text).substr(first, end - first);
    i = end;
    if (line.starts_with('L')) {
      if (gotos.contains(static_cast<std::uint32_t>(std::strtoul(line.data() + 1, nullptr, 10))))
        result += " " + std::string(line);
      continue;
    }
    if (line.starts_with('}')) --depth;
    result += std::string(2 * depth, ' ') + std::string(line);
    if (line.ends_with("{\n")) ++depth;
  }
  return result;
}

void find_calls(std::string_view text, std::set<std::string>& calls) {
  for (std::size_t open = text.find('('); open != std::string_view::npos;
       open = text.find('(', open + 1)) {
    std::size_t first = open;
    while (first > 0 && (std::isalnum(static_cast<unsigned char>(text[first - 1])) != 0 ||
                         text[first - 1] == '_'))
      --first;
    const std::string_view word = text.substr(first, open - first);
    if (is_of_libm(word)) calls.emplace(word);
  }
}

}  // namespace thunkvm
